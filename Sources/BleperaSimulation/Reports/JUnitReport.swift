/// Results as the XML of JUnit's Ant task, which CI servers read: a suite for each scenario, a case for each step.
package struct JUnitReport {
  let results: [ScenarioResult]

  package init(_ results: [ScenarioResult]) { self.results = results }

  /// The whole document.
  package var document: String {
    let suites = results.flatMap(lines)
    let total = Count(results.flatMap(\.steps))
    let time = results.reduce(Duration.zero) { $0 + $1.duration }
    let head =
      "<testsuites name=\"blepera\" tests=\"\(total.all)\" failures=\"\(total.failed)\" "
      + "errors=\"\(total.broken)\" time=\"\(time.inSeconds)\">"
    return (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", head] + suites + ["</testsuites>"])
      .joined(separator: "\n") + "\n"
  }

  private struct Count {
    var all = 0
    var failed = 0
    var broken = 0
    var skipped = 0

    init(_ steps: [StepResult]) {
      for step in steps {
        all += 1
        switch step.outcome {
        case .passed: break
        case .failed: failed += 1
        case .broken: broken += 1
        case .skipped: skipped += 1
        }
      }
    }
  }

  private func lines(_ result: ScenarioResult) -> [String] {
    let count = Count(result.steps)
    let attributes = [
      ("name", result.title), ("tests", "\(count.all)"), ("failures", "\(count.failed)"),
      ("errors", "\(count.broken)"), ("skipped", "\(count.skipped)"), ("time", result.duration.inSeconds),
    ]
    let cases = result.steps.enumerated().flatMap { lines($1, number: $0 + 1, in: result) }
    return ["  \(tag("testsuite", attributes))"] + cases + ["  </testsuite>"]
  }

  private func lines(_ step: StepResult, number: Int, in result: ScenarioResult) -> [String] {
    let attributes = [
      ("name", "\(number). \(step.text)"), ("classname", result.name), ("time", (step.end - step.start).inSeconds),
    ]
    let body: [String]
    switch step.outcome {
    case .passed: return ["    \(tag("testcase", attributes, isEmpty: true))"]
    case .skipped: body = ["      <skipped/>"]
    case .failed(let reason): body = failure("failure", "expectation", reason, step, result)
    case .broken(let reason): body = failure("error", "step", reason, step, result)
    }
    return ["    \(tag("testcase", attributes))"] + body + ["    </testcase>"]
  }

  private func failure(
    _ name: String, _ type: String, _ reason: String, _ step: StepResult, _ result: ScenarioResult
  ) -> [String] {
    let text = (["\(result.file):\(step.line): \(reason)"] + step.trace).map(Self.escaped).joined(separator: "\n")
    return ["      \(tag(name, [("type", type), ("message", reason)]))\(text)</\(name)>"]
  }

  private func tag(_ name: String, _ attributes: [(String, String)], isEmpty: Bool = false) -> String {
    let text = attributes.map { " \($0)=\"\(Self.escaped($1))\"" }.joined()
    return "<\(name)\(text)\(isEmpty ? "/" : "")>"
  }

  /// Omits characters that XML cannot represent (XML 1.0, 2.2).
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n": result += "&#10;"
      case "\t": result += "&#9;"
      case _ where scalar.value < 0x20 || [0xFFFE, 0xFFFF].contains(scalar.value): break
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
