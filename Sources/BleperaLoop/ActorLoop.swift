import Glibc
import Synchronization

/// What actors run on: a serial executor with a time of its own, and timers.
package protocol ActorLoop: SerialExecutor {
  associatedtype Timer: LoopTimer
  associatedtype Tasks: TaskExecutor

  /// What a task prefers that is to run there and nowhere else.
  var tasks: Tasks { get }

  /// Since some beginning; never goes back.
  var now: Duration { get }

  /// The time of day, since 1970 in UTC.
  var timeOfDay: Duration { get }

  /// Whether the caller is run by the loop.
  var isCurrent: Bool { get }

  /// Runs `body` once on the loop, `delay` from now and never early.
  func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Timer
}

/// What is scheduled; it ends when it is cancelled or no longer referenced.
package protocol LoopTimer: Sendable {
  /// Ends it: the callback does not run again once this returns on the loop. Harmless when repeated.
  func cancel()
}

extension ActorLoop {
  /// Waits on the loop's time; ends at once where the task is cancelled.
  package func sleep(for duration: Duration) async throws(CancellationError) {
    let timer = Mutex<Timer?>(nil)
    let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)
    let wake = { @Sendable in
      let waiting = waiter.withLock { waiter in
        defer { waiter = nil }
        return waiter
      }
      waiting?.resume()
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.withLock { $0 = continuation }
        if Task.isCancelled { return wake() }
        let source = schedule(after: duration) { wake() }
        timer.withLock { $0 = source }
      }
    } onCancel: {
      wake()
    }
    timer.withLock { $0 = nil }
    if Task.isCancelled { throw CancellationError() }
  }
}

extension Actor {
  /// A callback for the loop on which the actor lives: enters the actor, or does nothing once it has ended.
  package nonisolated func callback(_ body: @escaping @Sendable (isolated Self) -> Void) -> @Sendable () -> Void {
    { [weak self] in self?.assumeIsolated { body($0) } }
  }

  package nonisolated func callback<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Self, Value) -> Void
  ) -> @Sendable (Value) -> Void {
    { [weak self] value in self?.assumeIsolated { body($0, value) } }
  }

  package nonisolated func callback<First: Sendable, Second: Sendable>(
    _ body: @escaping @Sendable (isolated Self, First, Second) -> Void
  ) -> @Sendable (First, Second) -> Void {
    { [weak self] first, second in self?.assumeIsolated { body($0, first, second) } }
  }
}

/// A loop that watches file descriptors besides running actors and timers.
package protocol DescriptorLoop: ActorLoop {
  associatedtype Watch: LoopTimer

  /// Runs `body` on the loop whenever the descriptor is ready, until the watch ends. The descriptor stays the caller's
  /// and must stay open until then.
  func watch(
    descriptor: CInt, for readiness: Readiness, _ body: @escaping @Sendable (Readiness) -> Void
  ) -> Watch
}

/// What a file descriptor can be ready for, with the bits of poll(2).
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let reading = Readiness(rawValue: UInt32(POLLIN))
  package static let writing = Readiness(rawValue: UInt32(POLLOUT))
  /// The other end is gone; reported even where it is not asked for.
  package static let hangUp = Readiness(rawValue: UInt32(POLLHUP) | UInt32(POLLERR))
}
