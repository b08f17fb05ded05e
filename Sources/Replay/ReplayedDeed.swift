import Synchronization

/// Something that a central has begun.
final class ReplayedDeed: Sendable {
  let line: Int
  /// When it is not waited for any more.
  let limit: Duration
  /// Whether the phone has told of it; nil where it need not.
  private let isTold: (@Sendable () -> Bool)?
  private let isFinished = Atomic<Bool>(false)

  init(line: Int, limit: Duration, isTold: (@Sendable () -> Bool)?) {
    self.line = line
    self.limit = limit
    self.isTold = isTold
  }

  func finish() { isFinished.store(true, ordering: .releasing) }

  var isDone: Bool { isFinished.load(ordering: .acquiring) && (isTold?() ?? true) }
}
