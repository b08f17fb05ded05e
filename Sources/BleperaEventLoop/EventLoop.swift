import BleperaLoop
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
  /// The thread by pthread_self(3), 0 until it runs: GLib's own answer to who owns a context takes a lock.
  private let thread = Atomic<UInt>(0)
  private let jobs = Mutex<[Job]>([])
  private let start = ContinuousClock.now
  /// The preferred executor of tasks that run on this loop.
  package let tasks = EventLoopTasks()

  private enum Job {
    case ofActor(UnownedJob)
    case ofTask(UnownedJob)
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
        let loop = unsafe Unmanaged<EventLoop>.fromOpaque(this!).takeRetainedValue()
        loop.thread.store(UInt(pthread_self()), ordering: .relaxed)
        // The creating thread may belong to Swift's pool, which blocks signals: this thread must receive them.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
        unsafe g_main_context_push_thread_default(loop.context)
        unsafe g_main_loop_run(loop.loop)
        unsafe g_main_context_pop_thread_default(loop.context)
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

  /// Ends the thread after everything already due has run; jobs enqueued later never run.
  package func stop() {
    let source = unsafe g_idle_source_new()!
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
    let wasEmpty = jobs.withLock { jobs in
      jobs.append(job)
      return jobs.count == 1
    }
    // The loop's thread checks the queue before it sleeps; only other threads need to wake it.
    if wasEmpty && isElsewhere { unsafe g_main_context_wakeup(context) }
  }

  package func checkIsolated() { precondition(isCurrent, "not on the event loop's thread") }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  var hasJobs: Bool { jobs.withLock { !$0.isEmpty } }

  /// Runs the jobs queued now; jobs that they enqueue wait a turn, so that a busy actor cannot starve the rest.
  func runJobs() {
    let batch = jobs.withLock { jobs in
      let batch = jobs
      jobs.removeAll(keepingCapacity: true)
      return batch
    }
    for job in batch {
      switch job {
      case .ofActor(let job): unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      case .ofTask(let job): unsafe job.runSynchronously(on: tasks.asUnownedTaskExecutor())
      }
    }
  }
}

/// The task executor that keeps a task on an event loop, whatever the task awaits.
///
/// A separate object: a loop that were both would become the executor of every task that enters one of its actors.
package final class EventLoopTasks: TaskExecutor {
  let loop = Mutex(Weak<EventLoop>(nil))

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // After the loop has ended, nothing runs there.
    loop.withLock { $0.object }?.enqueueTask(job)
  }
}

struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?

  init(_ object: Object?) { self.object = object }
}
