import BleperaBluetooth
import BleperaRules

/// The events of traces, whose apps have one manager each.
struct TraceEvent {
  private var managers: [AppID: ManagerID] = [:]

  /// The event, and what follows it at once.
  mutating func events(_ words: [String]) -> [Policy.Event] {
    if words[0] == "preserved" { return preserved(words) }
    let event = event(words)
    for case .managerCreated(let app, let manager, _, _) in event.next { managers[app] = manager }
    return [event] + event.next
  }

  private func event(_ words: [String]) -> Policy.Event {
    switch words[0] {
    case "launched": return Self.launched(words)
    case "resumed": return Self.resumed(words)
    case "screenPreserved": return .screenPreserved(isBeforeFirstUnlock: words.contains("beforeFirstUnlock"))
    case "rebooted": return .rebooted
    case "bluetoothSwitched": return .bluetoothSwitched(BluetoothSwitch(rawValue: words[1]) ?? .settings)
    case "locked": return .locked
    case "centrals": return .centrals(areConnected: words[1] == "connected")
    case "unlocked": return .unlocked
    case "radio": return .radio(RadioPower(rawValue: words[1]) ?? .unavailable)
    case "deadline": return .deadline
    default: return eventOfApp(words)
    }
  }

  private func eventOfApp(_ words: [String]) -> Policy.Event {
    let app = TraceWord.app(words[1])
    let manager = managers[app] ?? .only
    switch words[0] {
    case "toForeground": return .toForeground(app)
    case "toBackground": return .toBackground(app)
    case "suspend": return .suspend(app)
    case "terminated": return .terminated(app, TraceWord.cause(words[2]))
    case "relaunchFailed": return .relaunchFailed(app)
    case "startAdvertising": return .startAdvertising(app, TraceWord.fields(Array(words[2...])), by: manager)
    case "stopAdvertising": return .stopAdvertising(app, by: manager)
    case "read": return .request(app, TraceWord.event(words[2]), .read, manager: manager)
    case "write": return .request(app, TraceWord.event(words[2]), .write, manager: manager)
    case "requestAbandoned": return .requestAbandoned(app, TraceWord.event(words[2]))
    case "command": return .request(app, TraceWord.event(words[2]), .command, manager: manager)
    case "subscribe": return .notice(app, TraceWord.event(words[2]), .subscribe, manager: manager)
    case "unsubscribe": return .notice(app, TraceWord.event(words[2]), .unsubscribe, manager: manager)
    case "callback": return .notice(app, TraceWord.event(words[2]), .callback, manager: manager)
    case "finished": return .finished(app)
    case "becameIdle": return .becameIdle(app)
    case "backgroundTaskBegan": return .backgroundTaskBegan(app, Int(words[2]) ?? 0)
    case "backgroundTaskEnded": return .backgroundTaskEnded(app, Int(words[2]) ?? 0)
    case "answered": return .answered(app, TraceWord.event(words[2]))
    default: preconditionFailure("unknown event \(words)")
    }
  }

  /// `launched a backgroundMode` or `launched a foregroundOnly`, then what else the app has: `restorable`,
  /// `accessorySetup`, `suspendedError 02`, `disablesCachedValues`; and `into` a launch mode, otherwise the foreground.
  private static func launched(_ words: [String]) -> Policy.Event {
    let mode: LaunchMode =
      words.last == "background" ? .background : words.last == "leftForeground" ? .leftForeground : .foreground
    return .launched(TraceWord.app(words[1]), identity(words), into: mode)
  }

  /// `resumed a backgroundMode suspended frontmost into background`: as `launched`, for an app that was suspended or
  /// frontmost.
  private static func resumed(_ words: [String]) -> Policy.Event {
    guard case .launched(let app, let identity, let mode) = launched(words) else { preconditionFailure() }
    return .resumed(
      app, identity, into: mode, isSuspended: words.contains("suspended"), isFrontmost: words.contains("frontmost"))
  }

  /// `preserved a backgroundMode crash - 180D`: the cause of the termination and what the app advertised.
  private mutating func preserved(_ words: [String]) -> [Policy.Event] {
    let fields = TraceWord.fields(Array(words[4...]))
    let (app, identity) = (TraceWord.app(words[1]), Self.identity(words + ["restorable"]))
    managers[app] = identity.manager
    return [
      .preserved(app, identity, cause: TraceWord.cause(words[3])),
      .managerCreated(app, identity.manager, requested: fields, effective: fields),
    ]
  }

  private static func identity(_ words: [String]) -> AppIdentity {
    var overrides = RuleOverrides()
    if let place = words.firstIndex(of: "suspendedError") {
      overrides.suspendedError = TraceWord.error(words[place + 1])
    }
    if words.contains("disablesCachedValues") { overrides.disablesCachedValues = true }
    return AppIdentity(
      name: words[1], hasBackgroundMode: words[2] == "backgroundMode", isRestorable: words.contains("restorable"),
      usesAccessorySetup: words.contains("accessorySetup"), overrides: overrides)
  }
}
