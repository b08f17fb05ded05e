import AppLink
import ArgumentParser
import Control
import Preservation

struct PreservedForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Forget what is kept of an app that does not run: it goes off the air, and is not relaunched.")

  @Argument(help: ArgumentHelp("The app's bundle identifier, restoration identifier or name.", valueName: "identifier"))
  var app: String

  @OptionGroup var system: SystemOptions

  func run() throws {
    let file = try PreservedFile(system)
    let found = try file.find(app)
    let identifier = found.identity.bundleIdentifier
    let answer = Result { () throws(ControlFailure) in
      try ControlClient(address: try system.address).ask(ControlRequest(.forget, app: identifier))
    }
    switch answer {
    case .success(let reply): if let error = reply.error { throw CommandFailure.of(error) }
    // Nobody else has the file.
    case .failure(.notRunning): try file.forget(identifier)
    case .failure(let failure): throw CommandFailure.of("\(failure)")
    }
  }
}
