import BleperaBluetooth

/// Results as the XML of JUnit's Ant task, which CI servers read: a suite for each scenario, a case for each step.
package struct JUnitReport {
  let results: [ScenarioResult]
  /// The real time that each step of each scenario took; missing ones are zero.
  let times: [[Duration]]

  package init(_ results: [ScenarioResult], times: [[Duration]] = []) {
    self.results = results
    self.times = times
  }

  /// The property of a suite that has the time on the scenario's clock, in seconds.
  private static let virtualTime = "virtual time"

  /// The whole document.
  package var document: String {
    let suites = results.indices.flatMap { lines(results[$0], times.indices.contains($0) ? times[$0] : []) }
    let total = Count(results.flatMap(\.steps))
    let time = times.joined().reduce(Duration.zero, +)
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

  private func lines(_ result: ScenarioResult, _ times: [Duration]) -> [String] {
    let count = Count(result.steps)
    let attributes = [
      ("name", result.title), ("tests", "\(count.all)"), ("failures", "\(count.failed)"),
      ("errors", "\(count.broken)"), ("skipped", "\(count.skipped)"), ("time", times.reduce(.zero, +).inSeconds),
    ]
    let cases = result.steps.enumerated().flatMap { index, step in
      lines(step, number: index + 1, times.indices.contains(index) ? times[index] : .zero, in: result)
    }
    let clock = tag("property", [("name", Self.virtualTime), ("value", result.duration.inSeconds)], isEmpty: true)
    return ["  \(tag("testsuite", attributes))", "    <properties>", "      \(clock)", "    </properties>"] + cases
      + ["  </testsuite>"]
  }

  private func lines(_ step: StepResult, number: Int, _ time: Duration, in result: ScenarioResult) -> [String] {
    let attributes = [
      ("name", "\(number). \(step.text)"), ("classname", result.name), ("time", time.inSeconds),
    ]
    let body: [String]
    switch step.outcome {
    case .passed: return ["    \(tag("testcase", attributes, isEmpty: true))"]
    case .skipped: body = ["      <skipped/>"]
    case .failed(let reason): body = failure("failure", type: "expectation", reason, of: step, in: result)
    case .broken(let reason): body = failure("error", type: "step", reason, of: step, in: result)
    }
    return ["    \(tag("testcase", attributes))"] + body + ["    </testcase>"]
  }

  private func failure(
    _ name: String, type: String, _ reason: String, of step: StepResult, in result: ScenarioResult
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
    let scalars = text.unicodeScalars.filter {
      "\n\t".unicodeScalars.contains($0) || 0x20..<0xFFFE ~= $0.value || $0.value > 0xFFFF
    }
    return Markup.escaped(String(scalars), ["\"": "&quot;", "\n": "&#10;", "\t": "&#9;"])
  }
}
