/// The end of a session, whose reason is the first that is given.
final class SessionEnd<Reason: Sendable> {
  private(set) var reason: Reason?
  private var waiter: CheckedContinuation<Reason, Never>?

  func finish(_ reason: Reason) {
    guard self.reason == nil else { return }
    self.reason = reason
    waiter?.resume(returning: reason)
    waiter = nil
  }

  func wait(isolation: isolated (any Actor)? = #isolation) async -> Reason {
    if let reason { return reason }
    return await withCheckedContinuation { waiter = $0 }
  }
}
