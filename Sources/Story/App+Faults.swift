import AppLink
import EventLoop
import Synchronization

/// What goes wrong in an app, of closures or of a profile.
extension App {
  /// When an app crashes.
  public enum CrashPoint: Hashable, Sendable {
    /// When it is next asked something, before it answers; once.
    case nextRequest
    /// At every launch, by the user or by the system, before it has said anything. For an event that waits for it the
    /// system launches it again 1, 2, 4 and 8 s later, and then not any more.
    case everyLaunch
  }

  /// How long the app thinks before it answers a read or a write; zero to begin with. An answer that becomes due while
  /// it is suspended comes when it runs again, and one that becomes due after its process has ended never.
  ///
  /// The system refuses a request that waits for 4.5 s. In the background the app owes its answer all the same: after
  /// 10 s it is cut off and not woken for 10 s, and the third time in a row it is terminated (R6).
  public var answerDelay: Duration {
    get { faults.withLock { $0.answerDelay } }
    set {
      phone.air.note(bundleIdentifier, "answers after \(newValue)")
      faults.withLock { $0.answerDelay = newValue }
    }
  }

  /// Has it end its process without a word when it comes to that point; nil for not any more.
  public func crash(at point: CrashPoint?) { faults.withLock { $0.crashPoint = point } }

  struct Faults {
    var answerDelay = Duration.zero
    var crashPoint: CrashPoint?
    /// Answers that were ready while the app was suspended.
    var late: [AppMessage] = []
  }

  /// Whether it crashes there.
  func isToCrash(at point: CrashPoint) -> Bool {
    faults.withLock { faults in
      guard faults.crashPoint == point else { return false }
      if point == .nextRequest { faults.crashPoint = nil }
      return true
    }
  }

  /// Sends an answer when the app has thought for long enough.
  func answer(_ message: AppMessage, over link: InMemoryLink<AppMessage, SystemMessage>, launch: Int) {
    let delay = answerDelay
    guard delay > .zero else { return link.send(message) }
    phone.air.later(after: delay) { [weak self] _ in
      guard let self, isAlive(launch) else { return }
      guard state == .suspended else { return link.send(message) }
      faults.withLock { $0.late.append(message) }
    }
  }

  /// It runs again.
  func sendLateAnswers(over link: InMemoryLink<AppMessage, SystemMessage>) {
    let late = faults.withLock { faults in
      defer { faults.late = [] }
      return faults.late
    }
    for message in late { link.send(message) }
  }
}
