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
