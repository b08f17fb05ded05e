/// One end of the link between an app and the system.
///
/// Messages arrive in the order in which they were sent; `incoming` ends when either side has closed the link.
public protocol AppLinkEnd<Outgoing, Incoming>: Sendable {
  associatedtype Outgoing: Sendable
  associatedtype Incoming: Sendable

  /// To be read by one task.
  var incoming: AsyncStream<Incoming> { get }
  /// Without effect once the link is closed.
  func send(_ message: Outgoing)
  func close()
}
