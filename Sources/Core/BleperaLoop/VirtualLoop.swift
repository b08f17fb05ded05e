import Glibc
import Synchronization

/// A loop with virtual time, which passes only on request, and a deterministic order of execution.
///
/// The loop has no thread: jobs and timers run on the calling thread, one at a time. Jobs run in the order in which
/// they were enqueued, then timers by deadline and order of creation, each followed by the jobs that it enqueued.
package final class VirtualLoop: ActorLoop, TaskExecutor {
  private struct State {
    var now = Duration.zero
    var jobs: [UnownedJob] = []
    var timers = LoopTimers()
  }

  private let beginning: Duration
  private let state = Mutex(State())
  /// Locked by the thread that runs the loop.
  private let turn = Mutex(())
  /// The `pthread_self` of the thread that runs the loop; 0 for none.
  private let runner = Atomic<UInt>(0)
  /// Nil where time passes at once.
  private let pace: RealPace?

  /// - Parameters:
  ///   - beginning: the time of day at which the loop starts, since 1970 in UTC.
  ///   - isPaced: whether time passes as fast as real time, and the loop watches descriptors meanwhile.
  package init(beginning: Duration = .zero, isPaced: Bool = false) {
    self.beginning = beginning
    pace = isPaced ? RealPace() : nil
  }

  package var tasks: VirtualLoop { self }
  package let sleepers = LoopSleepers()

  package var now: Duration { state.withLock { $0.now } }

  package var timeOfDay: Duration { beginning + now }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  package func checkIsolated() { precondition(isCurrent, "not on the virtual loop") }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Whether the caller runs on the loop. Not inlined, so that the thread cannot change during the comparison.
  @inline(never)
  package var isCurrent: Bool { runner.load(ordering: .acquiring) == pthread_self() }

  package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> VirtualTimer {
    VirtualTimer(loop: self, number: state.withLock { $0.timers.add(at: $0.now + max(.zero, delay), body) })
  }

  func cancel(_ number: Int) { _ = state.withLock { $0.timers.remove(number) } }

  // MARK: Running

  /// Runs `body` on the loop, then the jobs that `body` enqueued; no time passes.
  package func perform<Value: Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard !isCurrent else { return try body() }
    return try drive { () throws(Failure) in
      defer { runJobs() }
      return try body()
    }
  }

  /// Advances time; runs every timer at its deadline.
  package func advance(by duration: Duration) { run(until: now + duration) }

  /// Advances time until `end`; runs every timer at its deadline.
  package func run(until end: Duration) {
    drive {
      pace?.anchor(at: now)
      runJobs()
      while step(until: end) {}
      state.withLock { $0.now = max($0.now, end) }
    }
  }

  /// Runs a task and advances time until it finishes. A task still running at `end` is cancelled, and the result is nil
  /// unless the cancellation finishes the task.
  package func run<Value: Sendable>(
    until end: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>? {
    let outcome = Outcome<Value>()
    let task = Task(executorPreference: self) {
      do {
        outcome.set(.success(try await body()))
      } catch {
        outcome.set(.failure(error))
      }
    }
    drive {
      pace?.anchor(at: now)
      runJobs()
      while !outcome.isSet, step(until: end) {}
      guard !outcome.isSet else { return }
      state.withLock { $0.now = max($0.now, end) }
      task.cancel()
      runJobs()
    }
    return outcome.value
  }

  private func drive<Value: Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    precondition(!isCurrent, "the virtual loop runs already, and this is a part of it")
    return try turn.withLock { _ throws(Failure) in
      runner.store(pthread_self(), ordering: .releasing)
      defer { runner.store(0, ordering: .releasing) }
      return try body()
    }
  }

  private func runJobs() {
    while true {
      let jobs = state.withLock { state in
        let jobs = state.jobs
        state.jobs = []
        return jobs
      }
      guard !jobs.isEmpty else { return }
      for job in jobs {
        unsafe job.runSynchronously(
          isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      }
    }
  }

  /// Runs the next timer, or the watches that are ready first; false if neither is left until `end`.
  private func step(until end: Duration) -> Bool {
    guard let pace else { return runNext(until: end) }
    let present = min(end, pace.elapsed)
    if runNext(until: present) { return true }
    guard present < end else { return false }
    let next = state.withLock { min(end, $0.timers.nextDeadline ?? end) }
    let ready = pace.wait(until: next)
    state.withLock { $0.now = max($0.now, min(next, pace.elapsed)) }
    for (number, readiness) in ready {
      pace.body(of: number)?(readiness)
      runJobs()
    }
    return true
  }

  /// Advances time to the next timer and runs it; false if no timer is due until `end`.
  private func runNext(until end: Duration) -> Bool {
    let body = state.withLock { state -> (@Sendable () -> Void)? in
      guard let (deadline, body) = state.timers.pop(at: end) else { return nil }
      state.now = max(state.now, deadline)
      return body
    }
    guard let body else { return false }
    body()
    runJobs()
    return true
  }
}

extension VirtualLoop: DescriptorLoop {
  /// Watches a descriptor; requires a loop that is paced.
  package func watch(
    descriptor: CInt, for readiness: Readiness, _ body: @escaping @Sendable (Readiness) -> Void
  ) -> PaceWatch {
    guard let pace else { preconditionFailure("only a paced loop watches descriptors") }
    return PaceWatch(pace: pace, number: pace.add(descriptor, readiness, body))
  }
}

/// A watch of a descriptor by a `VirtualLoop`.
package final class PaceWatch: LoopTimer {
  private let pace: RealPace
  private let number: Int

  init(pace: RealPace, number: Int) {
    self.pace = pace
    self.number = number
  }

  deinit { cancel() }

  package func cancel() { pace.remove(number) }
}

/// The result of a task.
private final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)

  var value: Result<Value, any Error>? { result.withLock { $0 } }
  var isSet: Bool { result.withLock { $0 != nil } }

  func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}

package final class VirtualTimer: LoopTimer {
  private let loop: VirtualLoop
  private let number: Int

  init(loop: VirtualLoop, number: Int) {
    self.loop = loop
    self.number = number
  }

  deinit { cancel() }

  package func cancel() { loop.cancel(number) }
}
