import ArgumentParser
import Control

/// A command that asks a running system one thing.
protocol ControlCommand: ParsableCommand {
  var system: SystemOptions { get }
  var request: ControlRequest { get }
}

extension ControlCommand {
  func run() throws { _ = try ask(request) }

  /// The answer; a refusal is told and ends with status 1.
  func ask(_ request: ControlRequest) throws(ExitCode) -> ControlReply {
    let errors = Terminal(.error)
    do throws(ControlFailure) {
      let reply = try ControlClient(address: try system.address).ask(request)
      guard let error = reply.error else { return reply }
      errors.print("\(errors.styled("error:", .red)) \(error)")
    } catch {
      errors.print("\(errors.styled("error:", .red)) \(error)")
    }
    throw ExitCode(1)
  }
}
