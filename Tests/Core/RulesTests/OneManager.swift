import BleperaBluetooth
import BleperaRules

/// Apps of one manager, which they create as they are launched: most tests need no other.
extension AppIdentity {
  /// An app with the properties that matter to the rules.
  ///
  /// - Parameter isRestorable: whether its manager has a restoration identifier.
  init(
    name: String, hasBackgroundMode: Bool, isCentral: Bool = false, isRestorable: Bool = false,
    usesAccessorySetup: Bool = false, overrides: RuleOverrides = RuleOverrides()
  ) {
    self.init(
      bundleIdentifier: isRestorable ? "restorable.\(name)" : name, name: name,
      backgroundModes: (hasBackgroundMode ? [Self.peripheralBackgroundMode] : [])
        + (isCentral ? [Self.centralBackgroundMode] : []),
      rules: overrides, usesAccessorySetup: usesAccessorySetup)
  }

  var isRestorable: Bool { bundleIdentifier.hasPrefix("restorable.") }

  var manager: ManagerID { isRestorable ? ManagerID(.peripheral, .restorable(name)) : .only }
}

extension ManagerID {
  /// The manager of an app that is not restored.
  static let only = ManagerID(.peripheral, .number(0))
}

extension Policy.Event {
  static func startAdvertising(_ app: AppID, _ fields: AdvertisementData) -> Self {
    .startAdvertising(app, fields, by: .only)
  }

  static func request(_ app: AppID, _ event: EventID, _ kind: RequestKind) -> Self {
    .request(app, event, kind, manager: .only)
  }

  static func notice(_ app: AppID, _ event: EventID, _ kind: NoticeKind) -> Self {
    .notice(app, event, kind, manager: .only)
  }

  /// The events that follow at once: a launched app creates its manager.
  var next: [Policy.Event] {
    switch self {
    case .launched(let app, let identity, _), .resumed(let app, let identity, _, _, _):
      [.managerCreated(app, identity.manager)]
    default: []
    }
  }
}

extension Policy {
  /// Handles events that follow each other at once. Of their schedules, each of which replaces the one before, the last
  /// counts.
  mutating func handle(_ events: [Event], at now: Duration) -> [Action] {
    let former = nextDeadline
    var actions: [Action] = []
    for (index, event) in events.enumerated() {
      actions += handle(event, at: now, isLast: index + 1 == events.count)
    }
    actions.removeAll { if case .schedule = $0 { true } else { false } }
    return nextDeadline == former ? actions : actions + [.schedule(at: nextDeadline)]
  }

  /// Launches an app.
  mutating func launch(
    _ app: AppID, _ identity: AppIdentity, into mode: LaunchMode = .foreground, at now: Duration = .zero
  ) -> [Action] {
    let event = Event.launched(app, identity, into: mode)
    return handle([event] + event.next, at: now)
  }
}
