import Glibc
import Synchronization

/// A serial executor for actors with its own clock and timers.
package protocol ActorLoop: SerialExecutor {
  associatedtype Timer: LoopTimer
  associatedtype Tasks: TaskExecutor

  /// The preferred executor of tasks that must run on this loop only.
  var tasks: Tasks { get }

  /// The time since an arbitrary origin; monotonic.
  var now: Duration { get }

  /// The time of day since 1970 in UTC.
  var timeOfDay: Duration { get }

  /// Whether the caller runs on the loop.
  var isCurrent: Bool { get }

  /// The tasks that sleep in the loop's time.
  var sleepers: LoopSleepers { get }

  /// Runs `body` once on the loop after `delay`, never early.
  func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Timer
}

/// A scheduled timer or watch; ends when cancelled or no longer referenced.
package protocol LoopTimer: AnyObject, Sendable {
  /// Ends the timer: the callback does not run again after `cancel` returns on the loop. Idempotent.
  func cancel()
}

/// The tasks that sleep in a loop's time, which are woken where the loop ends first.
package final class LoopSleepers: Sendable {
  private struct State {
    var hasEnded = false
    var lastNumber = 0
    var wakes: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  func add(_ wake: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.wakes[state.lastNumber] = wake
      return state.lastNumber
    }
  }

  func remove(_ number: Int) { _ = state.withLock { $0.wakes.removeValue(forKey: number) } }

  /// Wakes all, because the loop has ended.
  package func end() {
    let wakes = state.withLock { state in
      state.hasEnded = true
      return state.wakes
    }
    for wake in wakes.values { wake() }
  }
}

extension ActorLoop {
  /// Waits in the loop's time; ends at once if the task is cancelled or the loop ends.
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
    let number = sleepers.add(wake)
    defer { sleepers.remove(number) }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.withLock { $0 = continuation }
        if Task.isCancelled || sleepers.hasEnded { return wake() }
        let source = schedule(after: duration) { wake() }
        timer.withLock { $0 = source }
      }
    } onCancel: {
      wake()
    }
    timer.withLock { $0 = nil }
    if Task.isCancelled || sleepers.hasEnded { throw CancellationError() }
  }
}

/// An actor on a loop: callers on the same loop enter the actor by a function call. Public, because the compiler
/// specializes functions of `package` access for no other module.
public protocol LoopActor: Actor {
  /// Whether the caller runs on the actor's loop.
  nonisolated var isOnLoop: Bool { get }
}

extension LoopActor {
  /// Replaces the function of this name for every actor, which takes some 350 instructions to find the executor.
  @inlinable
  public nonisolated func assumeIsolated<Value: Sendable, Failure>(
    _ body: (isolated Self) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    precondition(isOnLoop, "not on the actor's loop")
    // An isolated parameter is passed as any other. A function in a structure is cast without a thunk.
    let enter = IsolatedFunction<Self, Value, Failure> { actor, body throws(Failure) in try body(actor) }
    return unsafe try unsafeBitCast(enter, to: PlainFunction<Self, Value, Failure>.self).call(self, body)
  }

  /// A callback for the actor's loop: enters the actor, or does nothing after the actor is deallocated.
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

@usableFromInline struct IsolatedFunction<Isolation: Actor, Value, Failure: Error> {
  @usableFromInline let call:
    (isolated Isolation, (isolated Isolation) throws(Failure) -> Value) throws(Failure) -> Value

  @inlinable
  init(_ call: @escaping (isolated Isolation, (isolated Isolation) throws(Failure) -> Value) throws(Failure) -> Value) {
    self.call = call
  }
}

@usableFromInline struct PlainFunction<Isolation: Actor, Value, Failure: Error> {
  @usableFromInline let call: (Isolation, (isolated Isolation) throws(Failure) -> Value) throws(Failure) -> Value
}

/// A loop that watches file descriptors besides running actors and timers.
package protocol DescriptorLoop: ActorLoop {
  associatedtype Watch: LoopTimer

  /// Runs `body` on the loop whenever the descriptor is ready, until the watch ends. The caller owns the descriptor and
  /// must keep it open until then.
  func watch(
    descriptor: CInt, for readiness: Readiness, _ body: @escaping @Sendable (Readiness) -> Void
  ) -> Watch
}

/// The readiness of a file descriptor, with the bits of poll(2).
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let reading = Readiness(rawValue: UInt32(POLLIN))
  package static let writing = Readiness(rawValue: UInt32(POLLOUT))
  /// The other end is closed; reported even if not requested.
  package static let hangUp = Readiness(rawValue: UInt32(POLLHUP) | UInt32(POLLERR))
}
