import CoreBluetooth
import Listener

// The delegate of the app would create these in application(_:didFinishLaunchingWithOptions:).
let state = ApplicationState()
let listener = Listener { line in
  FileHandle.standardOutput.write(Data("\(state.text) \(line)\n".utf8))
}

RunLoop.main.run()
