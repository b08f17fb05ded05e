/// One end of the link between an app and the system.
///
/// Messages arrive in the order in which they were sent; `incoming` ends when either side has closed the link.
public protocol AppLinkEnd<Outgoing, Incoming>: Sendable {
  associatedtype Outgoing: Sendable
  associatedtype Incoming: Sendable

  /// Must be read by a single task.
  var incoming: AsyncStream<Incoming> { get }
  /// Has no effect once the link is closed.
  func send(_ message: Outgoing)
  func close()
}

/// An end of a link inside one process.
public struct InMemoryLink<Outgoing: Sendable, Incoming: Sendable>: AppLinkEnd {
  public let incoming: AsyncStream<Incoming>
  private let ours: AsyncStream<Incoming>.Continuation
  private let theirs: AsyncStream<Outgoing>.Continuation

  fileprivate init(
    incoming: AsyncStream<Incoming>, ours: AsyncStream<Incoming>.Continuation,
    theirs: AsyncStream<Outgoing>.Continuation
  ) {
    self.incoming = incoming
    self.ours = ours
    self.theirs = theirs
  }

  public func send(_ message: Outgoing) { theirs.yield(message) }

  public func close() {
    theirs.finish()
    ours.finish()
  }
}

/// Both ends of a new link inside one process.
public func makeInMemoryLink() -> (
  app: InMemoryLink<AppMessage, PhoneMessage>, system: InMemoryLink<PhoneMessage, AppMessage>
) {
  let (toSystem, systemContinuation) = AsyncStream.makeStream(of: AppMessage.self)
  let (toApp, appContinuation) = AsyncStream.makeStream(of: PhoneMessage.self)
  return (
    InMemoryLink(incoming: toApp, ours: appContinuation, theirs: systemContinuation),
    InMemoryLink(incoming: toSystem, ours: systemContinuation, theirs: appContinuation)
  )
}
