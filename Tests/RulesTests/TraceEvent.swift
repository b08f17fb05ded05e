import BleperaBluetooth
import BleperaRules

/// The events of traces.
enum TraceEvent {
  static func event(_ words: [String]) -> Policy.Event {
    switch words[0] {
    case "launch": return launch(words)
    case "preserved": return preserved(words)
    case "resume": return resume(words)
    case "off": return .screenPreserved(isBeforeFirstUnlock: words.contains("unlock"))
    case "rebooted": return .rebooted
    case "switched": return .bluetoothSwitched(BluetoothSwitch(rawValue: words[1]) ?? .settings)
    case "locked": return .locked
    case "centrals": return .centrals(areConnected: words[1] == "connected")
    case "unlocked": return .unlocked
    case "radio": return .radio(words[1] == "gone" ? .unavailable : words[1] == "on" ? .on : .off)
    case "tick": return .deadline
    default: return eventOfApp(words)
    }
  }

  private static func eventOfApp(_ words: [String]) -> Policy.Event {
    let app = TraceWord.app(words[1])
    switch words[0] {
    case "front": return .toForeground(app)
    case "back": return .toBackground(app)
    case "suspend": return .suspend(app)
    case "crash": return .terminated(app, .crash)
    case "end": return .terminated(app, TraceWord.cause(words[2]))
    case "failed": return .relaunchFailed(app)
    case "start": return .startAdvertising(app, TraceWord.fields(Array(words[2...])))
    case "stop": return .stopAdvertising(app)
    case "read": return .request(app, TraceWord.event(words[2]), .read)
    case "write": return .request(app, TraceWord.event(words[2]), .write)
    case "abandon": return .requestAbandoned(app, TraceWord.event(words[2]))
    case "command": return .request(app, TraceWord.event(words[2]), .command)
    case "subscribe": return .notice(app, TraceWord.event(words[2]), .subscribe)
    case "unsubscribe": return .notice(app, TraceWord.event(words[2]), .unsubscribe)
    case "call": return .notice(app, TraceWord.event(words[2]), .callback)
    case "finish": return .finished(app)
    case "idle": return .becameIdle(app)
    case "begin": return .backgroundTaskBegan(app, Int(words[2]) ?? 0)
    case "done": return .backgroundTaskEnded(app, Int(words[2]) ?? 0)
    case "answer": return .answered(app, TraceWord.event(words[2]))
    default: preconditionFailure("what is \(words)?")
    }
  }

  /// `launch a mode`, `launch a only`; then `left` as one that has left or `relaunched`, `keep` with a restoration
  /// identifier, `setup` with AccessorySetupKit, `error 02`, `disabled` for cached values too.
  private static func launch(_ words: [String]) -> Policy.Event {
    let mode: LaunchMode =
      words.contains("relaunched") ? .background : words.contains("left") ? .leftForeground : .foreground
    return .launched(TraceWord.app(words[1]), description(words), into: mode)
  }

  /// `resume a mode relaunched suspended front`: as `launch`, of an app that was suspended, or frontmost.
  private static func resume(_ words: [String]) -> Policy.Event {
    guard case .launched(let app, let identity, let mode) = launch(words) else { preconditionFailure() }
    return .resumed(
      app, identity, into: mode, isSuspended: words.contains("suspended"), isFrontmost: words.contains("front"))
  }

  /// `preserved a mode crash - 180D`, where `-` is no name: as one that advertised that and then ended so.
  private static func preserved(_ words: [String]) -> Policy.Event {
    let fields = TraceWord.fields(Array(words[4...]))
    return .preserved(
      TraceWord.app(words[1]), description(words + ["keep"]), requested: fields, effective: fields,
      cause: TraceWord.cause(words[3]))
  }

  private static func description(_ words: [String]) -> AppIdentity {
    var overrides = RuleOverrides()
    if let place = words.firstIndex(of: "error") { overrides.suspendedError = TraceWord.error(words[place + 1]) }
    if words.contains("disabled") { overrides.disablesCachedValues = true }
    return AppIdentity(
      name: words[1], hasBackgroundMode: words[2] == "mode", isRestorable: words.contains("keep"),
      usesAccessorySetup: words.contains("setup"), overrides: overrides)
  }
}
