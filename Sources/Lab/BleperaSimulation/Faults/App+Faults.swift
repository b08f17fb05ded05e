import BleperaAppLink
import BleperaBluetooth
import Synchronization

/// Faults of an app, defined by closures or by a profile.
extension App {
  /// When an app crashes.
  public enum CrashPoint: Hashable, Sendable {
    /// Once, at the next read or write, before the app responds.
    case nextRequest
    /// At every launch, by the user or by the system, before the app has sent anything. For a waiting event, the system
    /// relaunches the app 1, 2, 4 and 8 s later, and then gives up.
    case everyLaunch
  }

  /// How long the app takes to respond to a read or a write; initially zero. A response that becomes due while the app
  /// is suspended is sent when it runs again; a response that becomes due after its process has ended is never sent.
  ///
  /// A central disconnects after 30 s without a response; on a real adapter the system refuses the request after 4.5 s.
  /// In the background the app must respond within 10 s: then the request is refused, the app is suspended and not
  /// woken for 10 s, and the third time in a row it is terminated (R6).
  public var answerDelay: Duration {
    get { faults.withLock { $0.answerDelay } }
    set {
      phone.air.note(bundleIdentifier, "responds after \(newValue)")
      faults.withLock { $0.answerDelay = newValue }
    }
  }

  /// Makes the app end its process without a message at that point; nil to cancel.
  public func crash(at point: CrashPoint?) { faults.withLock { $0.crashPoint = point } }

  struct Faults {
    var answerDelay = Duration.zero
    var crashPoint: CrashPoint?
    /// Responses that became due while the app was suspended.
    var late: [AppMessage] = []
  }

  func shouldCrash(at point: CrashPoint) -> Bool {
    faults.withLock { faults in
      guard faults.crashPoint == point else { return false }
      if point == .nextRequest { faults.crashPoint = nil }
      return true
    }
  }

  /// Sends a response after the delay.
  func respond(_ message: AppMessage, over link: InMemoryAppLink<AppMessage, PhoneMessage>, launch: Int) {
    let delay = answerDelay
    guard delay > .zero else { return link.send(message) }
    phone.air.schedule(after: delay) { [weak self] _ in
      guard let self, isAlive(launch) else { return }
      guard state == .suspended else { return link.send(message) }
      faults.withLock { $0.late.append(message) }
    }
  }

  /// Sends the late responses when the app runs again.
  func sendLateResponses(over link: InMemoryAppLink<AppMessage, PhoneMessage>) {
    let late = faults.withLock { faults in
      defer { faults.late = [] }
      return faults.late
    }
    for message in late { link.send(message) }
  }
}
