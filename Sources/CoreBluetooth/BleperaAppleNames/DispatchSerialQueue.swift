public import Dispatch

/// A queue that is created without the attribute `concurrent`: on Linux `DispatchQueue` has no subclass for it.
public typealias DispatchSerialQueue = DispatchQueue

// swift-format-ignore: AvoidRetroactiveConformances
/// The executor of an actor, by `queue.asUnownedSerialExecutor()`. Jobs are barriers, so that they exclude each other
/// on a concurrent queue, too; a global queue has no barriers, and ends the process.
extension DispatchQueue: @retroactive SerialExecutor {
  /// Runs a job of an actor on the queue.
  public func enqueue(_ job: consuming ExecutorJob) {
    precondition(!label.hasPrefix("com.apple.root."), "a global queue cannot be the executor of an actor")
    let (job, executor) = unsafe (UnownedJob(job), asUnownedSerialExecutor())
    async(flags: .barrier) { unsafe job.runSynchronously(on: executor) }
  }

  /// Ends the process outside the queue. `assumeIsolated` calls this, as in a callback of a manager.
  public func checkIsolated() { dispatchPrecondition(condition: .onQueueAsBarrier(self)) }
}
