package import BleperaLoop
import Synchronization

/// Messages over a stream socket, one JSON object on a line.
package final class JSONChannel<Outgoing: JSONLineWritable, Incoming: JSONLineReadable>: Sendable {
  package enum Event: Sendable {
    case message(Incoming)
    /// A line that is not a message, with the reason.
    case invalid(String)
    /// The other side has closed the socket.
    case ended
  }

  private let socket: LineSocket

  package init(_ socket: LineSocket) { self.socket = socket }

  /// Reads messages from now on.
  ///
  /// - Parameters:
  ///   - first: a line that was read from the socket before.
  ///   - handler: called on the loop's thread; replaces an earlier handler.
  package func receive(first: [UInt8]? = nil, _ handler: @escaping @Sendable (Event) -> Void) {
    let receive: LineSocket.Handler = { event in
      switch event {
      case .line(let line):
        do throws(JSONLine.Fault) {
          handler(.message(try JSONLine.decode(Incoming.self, line)))
        } catch {
          handler(.invalid(error.reason))
        }
      case .lineTooLong: handler(.invalid("a line is too long"))
      case .budgetUsed: handler(.invalid("the phone's connections have too many unfinished lines"))
      case .drained: break
      case .ended: handler(.ended)
      }
    }
    if let first { receive(.line(first)) }
    socket.handle(receive)
  }

  package func send(_ message: Outgoing) { socket.send(JSONLine.encode(message)) }

  fileprivate var unreceivedMessages: Int { socket.unreceivedLines }

  fileprivate func pause() { socket.pause() }

  fileprivate func resume() { socket.resume() }

  fileprivate func passStream() -> (any ByteStream)? { socket.passStream() }

  fileprivate func takeStream() -> (any ByteStream)? { socket.takeStream() }

  /// Sends what is queued, then closes the socket; the handler is not called anymore.
  package func close() { socket.close() }
}

/// An end of a link between two processes.
package final class SocketAppLink<Outgoing: JSONLineWritable, Incoming: JSONLineReadable>: AppLinkEnd {
  private let channel: JSONChannel<Outgoing, Incoming>
  private let first: [UInt8]?
  private let refusal: @Sendable (String) -> Outgoing?
  private let phase = Mutex(Phase.new)

  private struct Receiver {
    let loop: any ActorLoop
    let handler: @Sendable (Incoming?) -> Void

    /// Whoever closes a link is not called back from within the call.
    func endLater() { Task(executorPreference: loop.tasks) { handler(nil) } }
  }

  private enum Phase {
    case new
    case receiving(Receiver)
    case closed
  }

  /// - Parameters:
  ///   - first: a line that was read from the socket before.
  ///   - refusal: the message sent, before the link is closed, in response to an invalid line; nil for none.
  package init(
    _ socket: LineSocket, first: [UInt8]? = nil, refusal: @escaping @Sendable (String) -> Outgoing? = { _ in nil }
  ) {
    channel = JSONChannel(socket)
    self.first = first
    self.refusal = refusal
  }

  /// The handler is called as messages are read: a message does not wait for a turn of the loop.
  package func receive(on loop: any ActorLoop, _ handler: @escaping @Sendable (Incoming?) -> Void) {
    let receiver = Receiver(loop: loop, handler: handler)
    let isClosed = phase.withLock { phase in
      if case .closed = phase { return true }
      phase = .receiving(receiver)
      return false
    }
    guard !isClosed else { return receiver.endLater() }
    channel.receive(first: first) { [self] event in
      switch event {
      case .message(let message): return handler(message)
      case .invalid(let reason): if let message = refusal(reason) { channel.send(message) }
      case .ended: break
      }
      channel.close()
      endReceiving()?.handler(nil)
    }
  }

  private func endReceiving() -> Receiver? {
    phase.withLock { phase in
      defer { phase = .closed }
      return if case .receiving(let receiver) = phase { receiver } else { nil }
    }
  }

  package func send(_ message: Outgoing) { channel.send(message) }

  package var unreceivedMessages: Int { channel.unreceivedMessages }

  /// Sends what is queued, then closes the link.
  package func close() {
    channel.close()
    endReceiving()?.endLater()
  }
}

extension SocketAppLink: PausableAppLink {
  package func pause() { channel.pause() }

  package func resume() { channel.resume() }
}

extension SocketAppLink: StreamCarrier {
  package func passStream(on loop: any ActorLoop) -> (any ByteStream)? { channel.passStream() }

  package func takeStream() -> (any ByteStream)? { channel.takeStream() }
}

extension SocketAppLink<PhoneMessage, AppMessage> {
  /// The phone's end of an app's link.
  ///
  /// - Parameter first: a line that was read from the socket before.
  package convenience init(app socket: LineSocket, first: [UInt8]) {
    self.init(socket, first: first) { .refused(reason: "the app sent an invalid message: \($0)") }
  }
}
