/// Results in the Test Anything Protocol, version 13: a test point for each step, in the order of the steps.
package struct TAPReport {
  private var number = 0

  package init() {}

  /// The first lines, with the plan.
  package func head(steps: Int) -> [String] { ["TAP version 13", "1..\(steps)"] }

  /// - Parameter name: The name of the scenario.
  package mutating func lines(_ step: StepResult, of name: String, file: String) -> [String] {
    number += 1
    let point = "\(number) - \(Self.escaped("\(name): \(step.text)"))"
    switch step.outcome {
    case .passed: return ["ok \(point)"]
    case .skipped: return ["ok \(point) # SKIP an earlier step has failed"]
    case .failed(let reason), .broken(let reason):
      let trace = step.trace.isEmpty ? [] : ["  trace:"] + step.trace.map { "    - \(Self.quoted($0))" }
      return [
        "not ok \(point)", "  ---", "  message: \(Self.quoted(reason))", "  at: \(Self.quoted("\(file):\(step.line)"))",
      ]
        + trace + ["  ..."]
    }
  }

  /// A comment line.
  package static func comment(_ text: String) -> String { "# " + text.split(separator: "\n").joined(separator: " ") }

  /// Escapes `#`, which begins a directive.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "#", "\\": result += "\\\(character)"
      case "\n", "\r\n", "\r": result += " "
      default: result.append(character)
      }
    }
  }

  /// A double-quoted scalar of YAML.
  private static func quoted(_ text: String) -> String {
    let inner = text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\"", "\\": result += "\\\(Character(scalar))"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20: break
      default: result.unicodeScalars.append(scalar)
      }
    }
    return "\"\(inner)\""
  }
}
