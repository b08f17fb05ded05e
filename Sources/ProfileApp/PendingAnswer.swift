import AppLink

/// A request that the app takes its time over.
struct PendingAnswer: Hashable, Sendable {
  let request: AppRequest
  /// When the answer is due, since the launch of the app.
  let due: Duration
}
