package import BleperaLoop
import CBleperaGLib
import Glibc
import Synchronization

/// A thread that runs a GLib main context, and the serial executor of every actor that selects this loop.
///
/// Callbacks of the loop's timers, file descriptors and signals run on the same thread, so they may enter such an actor
/// with `assumeIsolated`. A hop between two actors of one loop is a function call, not a thread switch.
@safe package final class EventLoop: DescriptorLoop {
  /// GLib permits use of a context, its loop and its sources from any thread.
  nonisolated(unsafe) let context: OpaquePointer  // never changes after init
  private nonisolated(unsafe) let loop: OpaquePointer  // never changes after init
  private nonisolated(unsafe) let source: UnsafeMutablePointer<GSource>  // never changes after init
  /// The thread that runs the jobs, by pthread_self(3); 0 before and after: the C library gives the number of a thread
  /// that has ended to the next one. GLib's own answer to who owns a context takes a lock.
  private let thread = Atomic<UInt>(0)
  private let queue = Mutex(Queue())
  /// Stands still while the machine is suspended, as poll(2) does.
  private let start = SuspendingClock.now
  /// The preferred executor of tasks that run on this loop.
  package let tasks = EventLoopTasks()
  package let sleepers = LoopSleepers()

  private enum Job {
    case ofActor(UnownedJob)
    case ofTask(UnownedJob)
  }

  private struct Queue {
    var jobs: [Job] = []
    var timers = LoopTimers()
    /// Whether a thread runs the jobs, or is about to; false only after the end, while no jobs are queued.
    var isServed = true
  }

  package init(name: String) {
    unsafe context = g_main_context_new()
    unsafe loop = g_main_loop_new(context, 0)
    unsafe source = JobSource.make()
    unsafe JobSource.setOwner(of: source, to: self)
    unsafe g_source_attach(source, context)
    let thread = unsafe g_thread_new(
      name,
      { this in
        unsafe Unmanaged<EventLoop>.fromOpaque(this!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    unsafe g_thread_unref(thread)
    tasks.loop.withLock { $0 = Weak(self) }
  }

  deinit {
    unsafe g_source_destroy(source)
    unsafe g_source_unref(source)
    unsafe g_main_loop_unref(loop)
    unsafe g_main_context_unref(context)
  }

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    // The creating thread may belong to Swift's pool, which blocks signals: this thread must receive them.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    unsafe g_main_context_push_thread_default(context)
    unsafe g_main_loop_run(loop)
    unsafe g_main_context_pop_thread_default(context)
    sleepers.end()
    runRest()
  }

  /// Ends the loop after everything already due has run: timers, descriptors and signals are no longer watched, and
  /// sleeps end. Actors and tasks can still be called; their jobs then run on a thread that ends when no job is left.
  package func stop() {
    let source = unsafe g_idle_source_new()!
    // The source has the priority of the jobs, which a busy task renews without end.
    unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
    unsafe g_source_set_callback(
      source,
      { loop in
        unsafe g_main_loop_quit(OpaquePointer(loop!))
        return gboolean(0)
      }, UnsafeMutableRawPointer(loop), nil)
    unsafe g_source_attach(source, context)
    unsafe g_source_unref(source)
  }

  package var now: Duration { start.duration(to: .now) }

  package var timeOfDay: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  package func enqueue(_ job: consuming ExecutorJob) { enqueue(.ofActor(UnownedJob(job))) }

  func enqueueTask(_ job: UnownedJob) { enqueue(.ofTask(job)) }

  private func enqueue(_ job: Job) {
    // As soon as the job is queued it may run and release the last reference to the loop.
    let (context, isElsewhere) = unsafe (g_main_context_ref(self.context), !isCurrent)
    defer { unsafe g_main_context_unref(context) }
    let (wasEmpty, wasServed) = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.isServed = true }
      return (queue.jobs.count == 1, queue.isServed)
    }
    guard wasServed else { return runRestApart() }
    // The loop's thread checks the queue before it sleeps; only other threads need to wake it.
    if wasEmpty && isElsewhere { unsafe g_main_context_wakeup(context) }
  }

  /// Runs `body` once on the loop's thread after `delay`, with millisecond resolution and never early.
  package func schedule(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> EventSource {
    let deadline = now + max(.zero, delay)
    let (number, isNext) = queue.withLock { queue in
      (queue.timers.add(at: deadline, body), queue.timers.nextDeadline == deadline)
    }
    if isNext, !isCurrent { unsafe g_main_context_wakeup(context) }
    return EventSource(timer: number, of: self)
  }

  func cancelTimer(_ number: Int) { _ = queue.withLock { $0.timers.remove(number) } }

  package func checkIsolated() { precondition(isCurrent, "not on the event loop's thread") }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  var hasJobs: Bool { queue.withLock { !$0.jobs.isEmpty } }

  /// For how many milliseconds there is nothing to run; nil until something is enqueued.
  var idleTime: CInt? {
    let (hasJobs, deadline) = queue.withLock { (!$0.jobs.isEmpty, $0.timers.nextDeadline) }
    return hasJobs ? 0 : deadline.map { Self.milliseconds($0 - now) }
  }

  static func milliseconds(_ delay: Duration) -> CInt {
    let (seconds, attoseconds) = max(.zero, delay).components
    let part = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return CInt(clamping: min(seconds, Int64(CInt.max)) * 1000 + part)
  }

  /// Runs the timers that are due now.
  func runTimers() {
    let now = now
    while let (_, body) = queue.withLock({ $0.timers.pop(at: now) }) { body() }
  }

  /// Runs the jobs queued now; jobs that they enqueue wait a turn, so that a busy actor cannot starve the rest.
  func runJobs() {
    let batch = queue.withLock { queue in
      let batch = queue.jobs
      queue.jobs.removeAll(keepingCapacity: true)
      return batch
    }
    for job in batch {
      switch job {
      case .ofActor(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      case .ofTask(let job): unsafe job.runSynchronously(on: tasks.asUnownedTaskExecutor())
      }
    }
  }

  /// Runs jobs until none is left; then this thread is no longer the loop's.
  private func runRest() {
    while true {
      runJobs()
      let isDone = queue.withLock { queue in
        guard queue.jobs.isEmpty else { return false }
        queue.isServed = false
        thread.store(0, ordering: .relaxed)
        return true
      }
      if isDone { return }
    }
  }

  /// Runs the jobs that were enqueued after the loop has ended.
  private func runRestApart() {
    let thread = unsafe g_thread_new(
      "ended loop",
      { this in
        let loop = unsafe Unmanaged<EventLoop>.fromOpaque(this!).takeRetainedValue()
        loop.thread.store(UInt(pthread_self()), ordering: .relaxed)
        loop.runRest()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    unsafe g_thread_unref(thread)
  }
}

/// The task executor that keeps a task on an event loop, whatever the task awaits.
///
/// A separate object: a loop that were both would become the executor of every task that enters one of its actors.
package final class EventLoopTasks: TaskExecutor {
  let loop = Mutex(Weak<EventLoop>(nil))

  package func enqueue(_ job: consuming ExecutorJob) {
    guard let loop = loop.withLock({ $0.object }) else {
      // The actors of the loop have ended with it, so the task may run anywhere.
      return globalConcurrentExecutor.enqueue(job)
    }
    loop.enqueueTask(UnownedJob(job))
  }
}

struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?

  init(_ object: Object?) { self.object = object }
}
