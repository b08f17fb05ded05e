import CoreBluetooth
import DoorKey

// The app's delegate would create the door in application(_:didFinishLaunchingWithOptions:).
let door = DoorKey { line in
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

RunLoop.main.run()
