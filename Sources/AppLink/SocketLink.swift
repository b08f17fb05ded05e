package import EventLoop

/// An end of a link between two processes: a stream socket, a JSON object a line.
package final class SocketLink<Outgoing: Encodable & Sendable, Incoming: Decodable & Sendable>: AppLinkEnd {
  package let incoming: AsyncStream<Incoming>

  private let socket: LineSocket
  private let continuation: AsyncStream<Incoming>.Continuation

  /// - Parameters:
  ///   - first: a line that was read from the socket before.
  ///   - refusal: what is said, before the link is closed, of a line that is no message; nil for nothing.
  package init(
    _ socket: LineSocket, first: [UInt8]? = nil, refusal: @escaping @Sendable (String) -> Outgoing? = { _ in nil }
  ) {
    self.socket = socket
    let (incoming, continuation) = AsyncStream.makeStream(of: Incoming.self)
    self.incoming = incoming
    self.continuation = continuation
    let handler: LineSocket.Handler = { [weak socket] event in
      switch event {
      case .line(let line):
        do throws(LinkLine.Fault) {
          continuation.yield(try LinkLine.decode(Incoming.self, line))
        } catch {
          if let socket { Self.refuse(socket, continuation, refusal(error.reason)) }
        }
      case .lineTooLong:
        let reason = "a line is longer than \(LinkLine.maximumLength) bytes"
        if let socket { Self.refuse(socket, continuation, refusal(reason)) }
      case .ended:
        socket?.close()
        continuation.finish()
      }
    }
    if let first { handler(.line(first)) }
    socket.handle(handler)
  }

  private static func refuse(
    _ socket: LineSocket, _ continuation: AsyncStream<Incoming>.Continuation, _ message: Outgoing?
  ) {
    if let message { socket.send(LinkLine.encode(message)) }
    socket.close()
    continuation.finish()
  }

  package func send(_ message: Outgoing) { socket.send(LinkLine.encode(message)) }

  /// What was sent before still goes out.
  package func close() {
    socket.close()
    continuation.finish()
  }
}
