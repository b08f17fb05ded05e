package import BleperaLoop
import Synchronization

/// An end of AppLink, the connection between an app and the system.
///
/// Messages arrive in the order in which they were sent.
package protocol AppLinkEnd<Outgoing, Incoming>: Sendable {
  associatedtype Outgoing: Sendable
  associatedtype Incoming: Sendable

  /// Receives from now on; called once.
  ///
  /// - Parameters:
  ///   - loop: of the link's socket, if it has one.
  ///   - handler: called on the loop with each message, and with nil after either side has closed the link.
  func receive(on loop: any ActorLoop, _ handler: @escaping @Sendable (Incoming?) -> Void)
  /// Has no effect once the link is closed.
  func send(_ message: Outgoing)
  func close()
  /// After the end: how many of the messages that were sent last the other side has certainly not received.
  var unreceivedMessages: Int { get }
}

extension AppLinkEnd {
  package var unreceivedMessages: Int { 0 }
}

/// An end of a link over which streams of bytes are passed along with messages.
package protocol StreamCarrier {
  /// Makes a stream, whose other end is passed with the next message.
  ///
  /// - Returns: this side's end; nil where streams cannot be passed.
  func passStream(on loop: any ActorLoop) -> (any ByteStream)?

  /// The stream that came with a message; each is returned once, in the order of the messages.
  func takeStream() -> (any ByteStream)?
}

/// An end of a link that can leave messages with the other side.
package protocol PausableAppLink {
  /// Receives no message until `resume`; where the other side sends much, it blocks. The end of the link is received.
  func pause()
  func resume()
}

/// The streams that were passed to one side of a link and not taken yet.
private final class StreamQueue: Sendable {
  private let streams = Mutex<[any ByteStream]>([])

  func append(_ stream: any ByteStream) { streams.withLock { $0.append(stream) } }

  func take() -> (any ByteStream)? { streams.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
}

/// An end of a link inside one process.
package final class InMemoryAppLink<Outgoing: Sendable, Incoming: Sendable>: AppLinkEnd {
  /// Ends when either side has closed the link. Read by a single task, instead of `receive`.
  package let incoming: AsyncStream<Incoming>
  private let ours: AsyncStream<Incoming>.Continuation
  private let theirs: AsyncStream<Outgoing>.Continuation
  private let streams: (ours: StreamQueue, theirs: StreamQueue)

  fileprivate init(
    incoming: AsyncStream<Incoming>, ours: AsyncStream<Incoming>.Continuation,
    theirs: AsyncStream<Outgoing>.Continuation, streams: (ours: StreamQueue, theirs: StreamQueue)
  ) {
    self.incoming = incoming
    self.ours = ours
    self.theirs = theirs
    self.streams = streams
  }

  /// Each message is a turn of the loop, as the handler may cause the other end to send.
  package func receive(on loop: any ActorLoop, _ handler: @escaping @Sendable (Incoming?) -> Void) {
    Task(executorPreference: loop.tasks) { [incoming] in
      for await message in incoming { handler(message) }
      handler(nil)
    }
  }

  package func send(_ message: Outgoing) { theirs.yield(message) }

  package func close() {
    theirs.finish()
    ours.finish()
  }
}

extension InMemoryAppLink: StreamCarrier {
  package func passStream(on loop: any ActorLoop) -> (any ByteStream)? {
    let (own, other) = MemoryStream.pair(on: loop)
    streams.theirs.append(other)
    return own
  }

  package func takeStream() -> (any ByteStream)? { streams.ours.take() }
}

/// Returns both ends of a new AppLink inside one process.
package func makeInMemoryLink() -> (
  app: InMemoryAppLink<AppMessage, PhoneMessage>, system: InMemoryAppLink<PhoneMessage, AppMessage>
) {
  let (toSystem, systemContinuation) = AsyncStream.makeStream(of: AppMessage.self)
  let (toApp, appContinuation) = AsyncStream.makeStream(of: PhoneMessage.self)
  let streams = (StreamQueue(), StreamQueue())
  return (
    InMemoryAppLink(incoming: toApp, ours: appContinuation, theirs: systemContinuation, streams: streams),
    InMemoryAppLink(
      incoming: toSystem, ours: systemContinuation, theirs: appContinuation, streams: (streams.1, streams.0))
  )
}
