import BleperaBluetooth
import BleperaRules
import Testing

/// What happens on a system and what `Policy` does, a line an event, the time in seconds before it:
/// `7 read a #1 -> refuse a #1 0E R4`. `TraceEvent` and `TraceAction` have the words.
///
/// `? state a suspended`, `? cached a 0E` and the like ask for what is given last; `TraceQuery` has them.
struct Trace: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rules: RuleSet
  let requestTimeLimit: Duration?
  let lines: [Line]

  struct Line: Sendable {
    let text: String
    let time: Duration
    let input: [String]
    let expected: String
  }

  /// - Parameters:
  ///   - splitView: lets several apps be in the foreground.
  ///   - limit: how long an app may take to respond.
  init(
    _ name: String, ios version: IOSVersion = .newest, splitView: Bool = false,
    limit: Duration? = .milliseconds(4500), _ text: String
  ) {
    testDescription = name
    requestTimeLimit = limit
    rules = RuleSet(version).with(splitView: splitView)
    lines = text.split(separator: "\n").map { line in
      let parts = line.split(separator: "->", omittingEmptySubsequences: false)
      let words = parts[0].split(separator: " ").map(String.init)
      return Line(
        text: String(line), time: TraceWord.duration(words[0]), input: Array(words.dropFirst()),
        expected: parts.count > 1 ? parts[1].split(separator: " ").joined(separator: " ") : "")
    }
  }

  /// The lines that come out otherwise, as they come out.
  func differences() -> [String] {
    var policy = Policy(rules: rules, requestTimeLimit: requestTimeLimit)
    // Unless a line says otherwise, an app that ends has a central.
    _ = policy.handle(.centrals(areConnected: true), at: .zero)
    return lines.compactMap { line in
      let found: String
      if line.input[0] == "?" {
        let answer = TraceQuery.answer(Array(line.input[1...]), policy, at: line.time)
        found = answer == line.input.last ? "" : answer
      } else {
        found = policy.handle(TraceEvent.event(line.input), at: line.time).map(TraceAction.text).joined(separator: ", ")
      }
      return found == line.expected ? nil : "\(line.text)  IS  \(found)"
    }
  }
}
