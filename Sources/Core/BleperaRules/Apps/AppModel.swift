import BleperaBluetooth

/// An app that runs, is suspended, or is terminated with its state preserved.
struct AppModel: Hashable {
  /// See `AppState` for the possible transitions.
  enum Phase: Hashable {
    case inactive(since: Duration)
    case foreground
    /// `until` is when the app's time in the background expires.
    case background(since: Duration, until: Duration, Cause)
    case suspended
    /// The app is terminated, and its state is preserved (R7).
    case terminated(Termination)
  }

  /// Why the app runs in the background.
  enum Cause: Hashable {
    /// The app has just moved to the background.
    case grace
    /// An event woke or relaunched the app.
    case wake
  }

  struct Request: Hashable {
    let id: EventID
    /// When the central's timeout started.
    let arrived: Duration
    /// When the app's time to respond started.
    let delivered: Duration
    /// Whether the central has already received an error; the app must still respond.
    var isRefused = false
  }

  /// A manager, and its advertisement as a peripheral manager.
  struct Manager: Hashable {
    var id: ManagerID
    /// The last request; nil after the manager stopped advertising.
    var requested: AdvertisementData?
    /// The advertisement in effect.
    var effective: AdvertisementData?
    /// The position of `requested` in the start order of all managers.
    var requestOrder = 0
    /// The position of `effective` in the start order of all managers.
    var startOrder = 0
  }

  let id: AppID
  var identity: AppIdentity
  var rules: SharedRules
  /// Whether the app is in the foreground while the screen is unlocked.
  var isFrontmost: Bool
  /// When the app entered the foreground last; nil for an app that has not.
  var foregroundEntry: Duration?
  var phase: Phase
  /// Whether the next advertisement counts as started in the foreground, whatever the app's state (`LaunchMode`).
  var startsAsForeground: Bool

  var managers: [Manager] = []
  /// The preserved managers that the app has not created since its launch, and when its time to do so is over (R9).
  var uncreated: Set<ManagerID> = []
  var creationEnd = Duration.zero

  /// In order of arrival.
  var queue: [Waiting] = []
  var dropped = 0
  /// In order of delivery.
  var pendingRequests: [Request] = []

  /// When the background tasks that the app has not ended have begun, by its numbers.
  var backgroundTasks: [Int: Duration] = [:]
  /// Whether the app has reported that it finished its work for every event that it received.
  var isFinished = false
  /// Whether the app's callbacks have returned and its queues are idle, since the last event that wakes apps; false
  /// where the app does not report this.
  var isIdle = false
  /// When the app was launched, or received the last event that wakes apps.
  var lastEvent = Duration.zero
  /// Whether the app reports when it has finished; an app that never does cannot exceed its time by working (R6).
  var reportsFinish = false

  /// The number of consecutive overruns (R6).
  var overruns = 0
  var totalOverruns = 0
  var throttledUntil: Duration?

  /// The number of consecutive failed relaunches (R8).
  var failedRelaunches = 0
  /// Whether the app was relaunched and the relaunch has not succeeded yet.
  var isRelaunchUnconfirmed = false

  var state: AppState {
    switch phase {
    case .inactive: .inactive
    case .foreground: .foreground
    case .background: .background
    case .suspended: .suspended
    case .terminated: .notRunning
    }
  }

  /// Whether the app may act as a peripheral in the background.
  var hasBackgroundMode: Bool { identity.hasBackgroundMode }
  /// Whether the app has either background mode.
  var runsInBackground: Bool { hasBackgroundMode || identity.hasCentralBackgroundMode }

  /// Creates an app that has never been launched.
  init(_ id: AppID, _ identity: AppIdentity, _ rules: SharedRules, at now: Duration) {
    self.id = id
    self.identity = identity
    self.rules = rules.applying(identity.rules)
    isFrontmost = false
    phase = .inactive(since: now)
    startsAsForeground = false
  }

  var isAdvertising: Bool { managers.contains { $0.requested != nil } }

  /// Adds a manager, unless the app has it already, as a restored app has.
  mutating func add(_ manager: Manager) {
    if !managers.contains(where: { $0.id == manager.id }) { managers.append(manager) }
  }

  /// Changes one manager; returns nil where there is no such manager.
  mutating func change<Result>(_ id: ManagerID, _ body: (inout Manager) -> Result) -> Result? {
    managers.firstIndex { $0.id == id }.map { body(&managers[$0]) }
  }
}
