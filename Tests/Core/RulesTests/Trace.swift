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

  /// - Parameters:
  ///   - splitView: allows several apps in the foreground.
  ///   - limit: how long an app may take to respond.
  init(
    _ name: String, ios version: IOSVersion = .newest, splitView: Bool = false,
    limit: Duration? = .milliseconds(4500), _ text: String
  ) {
    testDescription = name
    requestTimeLimit = limit
    rules = RuleSet(version).with(splitView: splitView)
    lines = TraceLines(text)
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
