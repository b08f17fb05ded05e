package import BleperaBluetooth

extension Policy {
  /// An event on the system. An event for an unknown app changes nothing; a request is refused, and a notice is
  /// dropped.
  package enum Event: Hashable, Sendable {
    /// A new app, or a terminated app that runs again.
    case launched(AppID, AppIdentity, into: LaunchMode)
    /// A preserved app whose process has run on while the phone's was replaced; `isSuspended` and `isFrontmost` are as
    /// the former phone had them.
    case resumed(AppID, AppIdentity, into: LaunchMode, isSuspended: Bool, isFrontmost: Bool)
    /// The app's process has exited, or the user force-quits a terminated app.
    case terminated(AppID, TerminationCause)
    /// The app has a new manager; or a manager that an earlier phone preserved, with its advertisement, in the order of
    /// starts; or has created a restored manager, and `willRestoreState` and `didUpdateState` have been sent.
    case managerCreated(AppID, ManagerID, requested: AdvertisementData? = nil, effective: AdvertisementData? = nil)
    /// The app does not create a manager that is preserved.
    case managerForgotten(AppID, ManagerID)
    /// An app whose state was preserved by an earlier phone; `managerCreated` follows for each of its managers. Its
    /// subscribers were connected when it was terminated.
    case preserved(AppID, AppIdentity, hasSubscribers: Bool = false, cause: TerminationCause)
    /// Whether centrals are connected to the phone; none before the first such event.
    case centrals(areConnected: Bool)
    /// The relaunched process could not be started, or exited before it connected.
    case relaunchFailed(AppID)
    case toForeground(AppID)
    case toBackground(AppID)
    /// Suspends the app at once, without a grace period.
    case suspend(AppID)
    /// The screen is off, which moves every app to the background.
    case locked
    /// The screen was off when an earlier phone ended; before any app.
    case screenPreserved(isBeforeFirstUnlock: Bool)
    /// The screen is on; the apps that were in the foreground return to it.
    case unlocked
    case radio(RadioPower)
    /// The user switches Bluetooth off; `radio` reports that it is off.
    case bluetoothSwitched(BluetoothSwitch)
    /// The phone, not this machine: every app is terminated, and nothing is on the air until the next `unlocked`.
    case rebooted
    /// Ignored while the manager advertises: the shell reports `CBError.alreadyAdvertising`.
    case startAdvertising(AppID, AdvertisementData, by: ManagerID)
    case stopAdvertising(AppID, by: ManagerID)
    /// A central's request for a dynamic value of the manager's, while the radio is on.
    case request(AppID, EventID, RequestKind, manager: ManagerID)
    case notice(AppID, EventID, NoticeKind, manager: ManagerID)
    /// The app has finished its work for the events that it received, and may be suspended.
    case finished(AppID)
    /// The callbacks of the app have returned, and its queues are idle.
    case becameIdle(AppID)
    /// `beginBackgroundTask`, with a number of the app's.
    case backgroundTaskBegan(AppID, Int)
    case backgroundTaskEnded(AppID, Int)
    /// The app has responded to a request that it received.
    case answered(AppID, EventID)
    /// The central of a request has disconnected.
    case requestAbandoned(AppID, EventID)
    /// The time of the last `schedule` has passed.
    case deadline
  }
}

extension Policy.Event {
  /// False for requests and their consequences, which change the plan only where they change an app's state.
  var mayChangePlan: Bool {
    switch self {
    case .request, .notice, .answered, .requestAbandoned, .finished, .becameIdle, .backgroundTaskBegan,
      .backgroundTaskEnded,
      .deadline:
      false
    default: true
    }
  }

  /// The only app whose deadline the event may change; nil for an event that may change deadlines of several apps.
  var onlyApp: AppID? {
    switch self {
    case .request(let app, _, _, _), .notice(let app, _, _, _), .answered(let app, _), .requestAbandoned(let app, _),
      .finished(let app), .becameIdle(let app), .backgroundTaskBegan(let app, _), .backgroundTaskEnded(let app, _):
      app
    default: nil
    }
  }
}

extension Policy.Action {
  /// Whether the action comes with a change of what apps advertise.
  var mayChangePlan: Bool {
    switch self {
    case .setState, .forgetManager: true
    default: false
    }
  }
}

/// The number of an app, assigned by the system and never reused.
package struct AppID: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a request or notice for an app, assigned by the system and never reused.
package struct EventID: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
}

/// How a central accesses a dynamic value; the central waits for the response to all but a command.
package enum RequestKind: String, Hashable, CaseIterable, Sendable {
  case read
  case write
  /// A write without response.
  case command
}

/// The power state of the radio as far as apps are concerned.
package enum RadioPower: String, Hashable, Sendable {
  case on
  /// Switched off, or unavailable for a while: advertising pauses and is resumed automatically.
  case off
  /// Below powered off, as in a reset and before the radio has reported a state: services and advertisements are
  /// cleared, and apps must publish and start again.
  case unavailable
}
