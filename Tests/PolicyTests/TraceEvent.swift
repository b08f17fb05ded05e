import Policy

/// The events of traces.
enum TraceEvent {
  static func event(_ words: [String]) -> Policy.Event {
    switch words[0] {
    case "launch": return launch(words)
    case "locked": return .locked
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
    case "crash": return .ended(app, .crash)
    case "start": return .startAdvertising(app, TraceWord.fields(Array(words[2...])))
    case "stop": return .stopAdvertising(app)
    case "read": return .request(app, TraceWord.event(words[2]), .read)
    case "write": return .request(app, TraceWord.event(words[2]), .write)
    case "subscribe": return .notice(app, TraceWord.event(words[2]), .subscribe)
    case "unsubscribe": return .notice(app, TraceWord.event(words[2]), .unsubscribe)
    case "call": return .notice(app, TraceWord.event(words[2]), .callback)
    case "answer": return .answered(app, TraceWord.event(words[2]))
    default: preconditionFailure("what is \(words)?")
    }
  }

  /// `launch a mode`, `launch a only`; then `left` as one that has left, `error 02`, `disabled` for cached values too.
  private static func launch(_ words: [String]) -> Policy.Event {
    var overrides = RuleOverrides()
    if let place = words.firstIndex(of: "error") { overrides.suspendedError = TraceWord.error(words[place + 1]) }
    if words.contains("disabled") { overrides.disablesCachedValues = true }
    let description = AppDescription(
      name: words[1], hasBackgroundMode: words[2] == "mode", overrides: overrides)
    return .launched(
      TraceWord.app(words[1]), description, into: words.contains("left") ? .leftForeground : .foreground)
  }
}
