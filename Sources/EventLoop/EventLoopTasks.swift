import Synchronization

/// The executor that a task prefers to run on an event loop, whatever it awaits there.
///
/// An object of its own: a loop that is both is taken for the executor of every task that enters one of its actors.
package final class EventLoopTasks: TaskExecutor {
  let loop = Mutex(Weak<EventLoop>(nil))

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Where the loop has ended, nothing runs there any more.
    loop.withLock { $0.object }?.enqueueTask(job)
  }
}

struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?

  init(_ object: Object?) { self.object = object }
}
