import Glibc
import Synchronization

/// Keeps the time of a virtual loop from passing faster than real time, and watches descriptors meanwhile, for programs
/// outside the process, which live in real time.
final class RealPace: Sendable {
  private struct Watcher {
    let descriptor: CInt
    let readiness: Readiness
    let body: @Sendable (Readiness) -> Void
  }

  private struct State {
    /// When the loop's time was zero, as far as real time counts.
    var origin = ContinuousClock.now
    var watchers: [Int: Watcher] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// Continues the loop's time from `now`: real time that passed while the loop did not run does not count.
  func anchor(at now: Duration) { state.withLock { $0.origin = .now - now } }

  var elapsed: Duration { state.withLock { $0.origin.duration(to: .now) } }

  func add(_ descriptor: CInt, _ readiness: Readiness, _ body: @escaping @Sendable (Readiness) -> Void) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.watchers[state.lastNumber] = Watcher(descriptor: descriptor, readiness: readiness, body: body)
      return state.lastNumber
    }
  }

  func remove(_ number: Int) {
    // Objects that the body captures are released outside of the lock.
    _ = state.withLock { $0.watchers.removeValue(forKey: number) }
  }

  /// Waits until the loop's time is `end`, or a descriptor is ready; returns the numbers of the ready watchers.
  func wait(until end: Duration) -> [(number: Int, readiness: Readiness)] {
    let watchers = state.withLock { $0.watchers.sorted { $0.key < $1.key } }
    var polled = watchers.map { _, watcher in
      pollfd(fd: watcher.descriptor, events: Int16(watcher.readiness.rawValue), revents: 0)
    }
    let rest = max(.zero, end - elapsed)
    let milliseconds = min(Int(rest / .milliseconds(1)), Int(CInt.max))
    // poll(2) waits whole milliseconds.
    if milliseconds == 0 { usleep(UInt32(rest / .microseconds(1))) }
    guard unsafe poll(&polled, nfds_t(polled.count), CInt(milliseconds)) > 0 else { return [] }
    return zip(watchers, polled).compactMap { watcher, polled in
      polled.revents == 0 ? nil : (watcher.key, Readiness(rawValue: UInt32(UInt16(bitPattern: polled.revents))))
    }
  }

  /// Nil where the watch has ended meanwhile.
  func body(of number: Int) -> (@Sendable (Readiness) -> Void)? { state.withLock { $0.watchers[number]?.body } }
}
