import BleperaEventLoop
import BleperaLoop
import Synchronization

/// An event loop whose clock can be put forward: everything that becomes due meanwhile happens at its own moment.
final class SkippingLoop: ActorLoop {
  private struct Entry: Sendable {
    let deadline: Duration
    let body: @Sendable () -> Void
    var source: EventSource?
  }

  private struct State: Sendable {
    var skipped = Duration.zero
    var entries: [Int: Entry] = [:]
    var lastOrder = 0
  }

  private let base: EventLoop
  private let state = Mutex(State())

  init(_ base: EventLoop) { self.base = base }

  var tasks: EventLoopTasks { base.tasks }
  var sleepers: LoopSleepers { base.sleepers }
  var now: Duration { base.now + state.withLock { $0.skipped } }
  var timeOfDay: Duration { base.timeOfDay + state.withLock { $0.skipped } }
  var isCurrent: Bool { base.isCurrent }

  func enqueue(_ job: consuming ExecutorJob) { base.enqueue(job) }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe base.asUnownedSerialExecutor() }

  func checkIsolated() { base.checkIsolated() }

  func isIsolatingCurrentContext() -> Bool? { base.isIsolatingCurrentContext() }

  func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> SkippingTimer {
    let deadline = now + max(.zero, delay)
    let order = state.withLock { state in
      state.lastOrder += 1
      state.entries[state.lastOrder] = Entry(deadline: deadline, body: body)
      return state.lastOrder
    }
    arm(order, deadline)
    return SkippingTimer(loop: self, order: order)
  }

  /// Puts the clock forward; to be called on the loop.
  func skip(_ duration: Duration) {
    let end = now + duration
    while let (order, deadline) = next, deadline <= end {
      let missing = max(.zero, deadline - now)
      state.withLock { $0.skipped += missing }
      fire(order)
    }
    let missing = max(.zero, end - now)
    state.withLock { $0.skipped += missing }
    for (order, entry) in state.withLock({ $0.entries }) { arm(order, entry.deadline) }
  }

  private var next: (order: Int, deadline: Duration)? {
    state.withLock { state in
      state.entries.map { ($0.key, $0.value.deadline) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
    }
  }

  private func arm(_ order: Int, _ deadline: Duration) {
    let source = base.schedule(after: max(.zero, deadline - now)) { [weak self] in self?.fire(order) }
    let old = state.withLock { state in
      defer { state.entries[order]?.source = source }
      return state.entries[order]?.source
    }
    withExtendedLifetime(old) {}
  }

  private func fire(_ order: Int) {
    let entry = state.withLock { $0.entries.removeValue(forKey: order) }
    entry?.body()
  }

  func cancel(_ order: Int) {
    // The entry is released outside the lock: objects that its body retains may cancel timers when they end.
    _ = state.withLock { $0.entries.removeValue(forKey: order) }
  }
}

/// A timer of a `SkippingLoop`.
final class SkippingTimer: LoopTimer {
  private let loop: SkippingLoop
  private let order: Int

  init(loop: SkippingLoop, order: Int) {
    self.loop = loop
    self.order = order
  }

  deinit { cancel() }

  func cancel() { loop.cancel(order) }
}
