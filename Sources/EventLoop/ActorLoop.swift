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
