/// The way that a session ends its process at once, as for a second Ctrl-C.
package enum ProcessEnd: Sendable {
  /// The process exits with a status.
  case status(Int32)
  /// The process ends by a signal.
  case signal(Int32)
}

/// Ends the process in the way of the command; called on the session's loop.
package typealias ProcessEnder = @Sendable (ProcessEnd) -> Never

/// The end of a session; the first reason that is given counts.
package final class SessionEnd<Reason: Sendable> {
  package private(set) var reason: Reason?
  private var waiter: CheckedContinuation<Reason, Never>?

  package init() {}

  package func finish(_ reason: Reason) {
    guard self.reason == nil else { return }
    self.reason = reason
    waiter?.resume(returning: reason)
    waiter = nil
  }

  package func wait(isolation: isolated (any Actor)? = #isolation) async -> Reason {
    if let reason { return reason }
    return await withCheckedContinuation { waiter = $0 }
  }
}
