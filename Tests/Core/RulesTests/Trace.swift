import BleperaBluetooth
import BleperaRules
import TestSupport
import Testing

/// Events for `Policy` and the actions that it must return, as `TraceLines`.
///
/// `TraceEvent` and `TraceAction` have the words; a change of an app's state is written without `setState`.
/// `? state a suspended` and the like query the policy; `TraceQuery` has them.
struct Trace: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rules: RuleSet
  let requestTimeLimit: Duration?
  let lines: TraceLines

  /// How a trace begins.
  enum Beginning: String {
    case empty = ""
    /// Suspends an app with the background mode.
    case suspended = """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      1 suspend a -> a suspended userSuspended

      """
    /// Launches an app with the background mode, which advertises.
    case advertised = """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground

      """
    /// Restores an app that advertised when it crashed, and is not running.
    case preserved = """
      0 radio on
      0 preserved a backgroundMode crash - 180D -> air bits 61 background

      """
  }

  /// - Parameters:
  ///   - splitView: allows several apps in the foreground.
  ///   - limit: how long an app may take to respond.
  ///   - beginning: the lines before `text`.
  init(
    _ name: String, ios version: IOSVersion = .newest, splitView: Bool = false,
    limit: Duration? = .milliseconds(4500), after beginning: Beginning = .empty, _ text: String
  ) {
    testDescription = name
    requestTimeLimit = limit
    rules = RuleSet(version).with(splitView: splitView)
    lines = TraceLines(beginning.rawValue + text)
  }

  func differences() -> [String] {
    var policy = Policy(rules: rules, requestTimeLimit: requestTimeLimit)
    // Unless a line says otherwise, a central is connected when an app is terminated.
    _ = policy.handle(.centrals(areConnected: true), at: .zero)
    var words = TraceEvent()
    return lines.differences { line in
      guard !line.isQuery else { return TraceQuery.answer(line.words, policy, at: line.time) }
      return policy.handle(words.events(line.words), at: line.time).map(TraceAction.text).joined(separator: ", ")
    }
  }
}
