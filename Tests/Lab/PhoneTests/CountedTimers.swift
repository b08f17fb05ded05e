import BleperaLoop
import Synchronization

/// Timers that never end by themselves, for tables to which time is passed.
final class CountedTimers: Sendable {
  private final class Timer: LoopTimer {
    let timers: CountedTimers

    init(_ timers: CountedTimers) { self.timers = timers }

    func cancel() { timers.counts.withLock { $0.cancelled += 1 } }
  }

  private let counts = Mutex((started: 0, cancelled: 0))
  var started: Int { counts.withLock { $0.started } }
  var cancelled: Int { counts.withLock { $0.cancelled } }

  func start() -> any LoopTimer {
    counts.withLock { $0.started += 1 }
    return Timer(self)
  }
}
