import Glibc
import Synchronization

/// A loop on which time passes only where it is let pass, and everything happens in the same order every time.
///
/// It has no thread of its own: jobs and timers run on the thread of whoever lets them, one at a time. Jobs run in the
/// order in which they came, then timers by their time and then by their order, each followed by the jobs that it has
/// made.
package final class VirtualLoop: ActorLoop, TaskExecutor {
  private struct Entry {
    let deadline: Duration
    let order: Int
    let body: @Sendable () -> Void
  }

  private struct State {
    var now = Duration.zero
    var jobs: [UnownedJob] = []
    /// The next one last.
    var timers: [Entry] = []
    var lastOrder = 0
  }

  private let beginning: Duration
  private let state = Mutex(State())
  /// Held by the thread that runs the loop.
  private let turn = Mutex(())
  /// That thread, as `pthread_self` says; 0 for none.
  private let runner = Atomic<UInt>(0)

  /// - Parameter beginning: the time of day at which it begins, since 1970 in UTC.
  package init(beginning: Duration = .zero) { self.beginning = beginning }

  package var tasks: VirtualLoop { self }

  package var now: Duration { state.withLock { $0.now } }

  package var timeOfDay: Duration { beginning + now }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
  }

  package func checkIsolated() { precondition(isCurrent, "not on the virtual loop") }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Whether the caller is run by the loop. Kept in one piece: a thread does not change within it.
  @inline(never)
  package var isCurrent: Bool { runner.load(ordering: .acquiring) == pthread_self() }

  package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> VirtualTimer {
    let order = state.withLock { state in
      state.lastOrder += 1
      let entry = Entry(deadline: state.now + max(.zero, delay), order: state.lastOrder, body: body)
      // Most are due soon, and the next one is the last.
      var index = state.timers.count
      while index > 0, state.timers[index - 1].deadline <= entry.deadline { index -= 1 }
      state.timers.insert(entry, at: index)
      return entry.order
    }
    return VirtualTimer(loop: self, order: order)
  }

  func cancel(_ order: Int) {
    // What a body holds may end with it, and cancel timers of its own.
    _ = state.withLock { state in
      state.timers.lastIndex { $0.order == order }.map { state.timers.remove(at: $0) }
    }
  }

  // MARK: Letting it run

  /// Runs `body` as one of the loop's own, then the jobs that it has made; no time passes.
  package func perform<Value: Sendable, Failure: Error>(
    _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    guard !isCurrent else { return try body() }
    return try drive { () throws(Failure) in
      defer { runJobs() }
      return try body()
    }
  }

  /// Lets time pass; everything that becomes due happens at its own moment.
  package func advance(by duration: Duration) { run(until: now + duration) }

  /// Lets time pass until `end`; everything that becomes due happens at its own moment.
  package func run(until end: Duration) {
    drive {
      runJobs()
      while runNext(until: end) {}
      state.withLock { $0.now = max($0.now, end) }
    }
  }

  /// Runs a task, and lets time pass until it has finished. Where it has not by `end` it is cancelled, and the result is
  /// nil unless that finishes it.
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
      runJobs()
      while !outcome.isSet, runNext(until: end) {}
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

  /// Lets time pass to the next timer; false where there is none until `end`.
  private func runNext(until end: Duration) -> Bool {
    let entry = state.withLock { state -> Entry? in
      guard let next = state.timers.last, next.deadline <= end else { return nil }
      state.timers.removeLast()
      state.now = max(state.now, next.deadline)
      return next
    }
    guard let entry else { return false }
    entry.body()
    runJobs()
    return true
  }
}

/// What became of a task.
private final class Outcome<Value: Sendable>: Sendable {
  private let result = Mutex<Result<Value, any Error>?>(nil)

  var value: Result<Value, any Error>? { result.withLock { $0 } }
  var isSet: Bool { result.withLock { $0 != nil } }

  func set(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }
}

/// A timer of a `VirtualLoop`.
package final class VirtualTimer: LoopTimer {
  private let loop: VirtualLoop
  private let order: Int

  init(loop: VirtualLoop, order: Int) {
    self.loop = loop
    self.order = order
  }

  deinit { cancel() }

  package func cancel() { loop.cancel(order) }
}
