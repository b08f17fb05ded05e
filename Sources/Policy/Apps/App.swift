/// An app that runs or is suspended.
struct App: Hashable {
  /// What each may become: see `AppState`.
  enum Phase: Hashable {
    case inactive(since: Duration)
    case foreground
    /// `until` is when the time that it was given is over.
    case background(since: Duration, until: Duration, Cause)
    case suspended
  }

  /// Why it runs in the background.
  enum Cause: Hashable {
    /// It has just left the foreground.
    case grace
    case wake
  }

  struct Request: Hashable {
    let id: EventID
    let delivered: Duration
    /// Whether the central has been refused meanwhile; the app still owes its answer.
    var isRefused = false
  }

  struct Notice: Hashable {
    let id: EventID
    let kind: NoticeKind
  }

  let id: AppID
  let description: AppDescription
  let rules: RuleSet
  /// Whether it is the one to be seen when the screen is on.
  var isInFront: Bool
  var phase: Phase
  /// Whether the next advertisement counts as started in the foreground, wherever the app is (`LaunchMode`).
  var startsAsInFront: Bool

  var asked: AdvertisedFields?
  var granted: AdvertisedFields?
  /// The place of `asked` among the starts of all apps.
  var askOrder = 0
  /// The place of `granted`.
  var startOrder = 0

  /// In order of arrival.
  var queue: [Notice] = []
  var dropped = 0
  /// In order of delivery.
  var unanswered: [Request] = []

  /// In a row.
  var overstays = 0
  var overstaysInAll = 0
  var throttledUntil: Duration?

  var state: AppState {
    switch phase {
    case .inactive: .inactive
    case .foreground: .foreground
    case .background: .background
    case .suspended: .suspended
    }
  }

  var hasBackgroundMode: Bool { description.hasBackgroundMode }
}
