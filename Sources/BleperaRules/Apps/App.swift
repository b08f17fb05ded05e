import BleperaBluetooth
/// An app that runs, is suspended, or is gone and may come back.
struct App: Hashable {
  /// What each may become: see `AppState`.
  enum Phase: Hashable {
    case inactive(since: Duration)
    case foreground
    /// `until` is when the time that it was given is over.
    case background(since: Duration, until: Duration, Cause)
    case suspended
    /// It has ended, and its state is preserved (R7).
    case gone(Gone)
  }

  /// Why it runs in the background.
  enum Cause: Hashable {
    /// It has just left the foreground.
    case grace
    /// An event, or a relaunch for one.
    case wake
  }

  struct Request: Hashable {
    let id: EventID
    /// Its central's patience counts from there.
    let arrived: Duration
    /// The app's time counts from there.
    let delivered: Duration
    /// Whether the central has been refused meanwhile; the app still owes its answer.
    var isRefused = false
  }

  let id: AppID
  var identity: AppIdentity
  var rules: RuleSet
  /// Whether it is the one to be seen when the screen is on.
  var isInFront: Bool
  var phase: Phase
  /// Whether the next advertisement counts as started in the foreground, wherever the app is (`LaunchMode`).
  var startsAsInFront: Bool

  var asked: AdvertisementData?
  var granted: AdvertisementData?
  /// The place of `asked` among the starts of all apps.
  var askOrder = 0
  /// The place of `granted`.
  var startOrder = 0

  /// In order of arrival.
  var queue: [Waiting] = []
  var dropped = 0
  /// In order of delivery.
  var unanswered: [Request] = []

  /// In a row.
  var overstays = 0
  var overstaysInAll = 0
  var throttledUntil: Duration?

  /// In a row (R8).
  var failedRelaunches = 0
  /// Whether it was relaunched and has done nothing yet by which that has not failed.
  var isOnTrial = false

  var state: AppState {
    switch phase {
    case .inactive: .inactive
    case .foreground: .foreground
    case .background: .background
    case .suspended: .suspended
    case .gone: .notRunning
    }
  }

  var hasBackgroundMode: Bool { identity.hasBackgroundMode }

  /// One that is new.
  init(_ id: AppID, _ identity: AppIdentity, _ rules: RuleSet, at now: Duration) {
    self.id = id
    self.identity = identity
    self.rules = rules.applying(identity.rules)
    isInFront = false
    phase = .inactive(since: now)
    startsAsInFront = false
  }
}
