package import BleperaAppLink
import BleperaEventLoop

extension ControlConnection {
  /// Sends one request over its own connection and loop.
  package static func ask(
    _ request: ControlRequest, at address: ControlAddress
  ) async throws(ControlFailure) -> ControlReply {
    let loop = EventLoop(name: "blepera control")
    defer { loop.stop() }
    let connection = try ControlConnection(loop: loop, address: address)
    defer { connection.close() }
    return try await connection.ask(request)
  }
}
