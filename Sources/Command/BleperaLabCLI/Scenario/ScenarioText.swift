import BleperaBluetooth
import BleperaCLI
import BleperaProfile
import BleperaSimulation

/// Formats the results of scenarios.
struct ScenarioText {
  let terminal: Terminal

  func head(_ file: String, _ title: String) -> [String] { [terminal.styled(title, .bold), file] }

  /// `ok       12.004  gateway reads 2A38`.
  func lines(_ step: StepResult, in file: String) -> [String] {
    let time = TextLayout.spaces(10 - step.end.inSeconds.count) + step.end.inSeconds
    let note = step.note.map { [TextLayout.spaces(20) + terminal.styled($0, .dim)] } ?? []
    switch step.outcome {
    case .passed: return ["\(terminal.styled("ok", .green))     \(time)   \(step.text)"] + note
    case .skipped: return [terminal.styled("skipped\(TextLayout.spaces(13))\(step.text)", .dim)]
    case .failed(let reason), .broken(let reason):
      let trace = step.trace.map { "    " + $0 }
      return ["\(terminal.styled("FAILED", .red)) \(time)   \(step.text)"] + note
        + ["  \(file):\(step.line): \(reason)"]
        + (trace.isEmpty ? [] : ["  events before the failure:"] + trace)
    }
  }

  func summary(_ results: [ScenarioResult]) -> String {
    let failed = results.filter { !$0.hasPassed }
    let steps = results.reduce(0) { $0 + $1.steps.count }
    guard !failed.isEmpty else {
      let what = results.count == 1 ? "The scenario has" : "All \(results.count) scenarios have"
      return terminal.styled("\(what) passed, \(Quote.counted(steps, "step")).", .green)
    }
    let names = failed.map(\.name).joined(separator: ", ")
    return terminal.styled("\(failed.count) of \(results.count) scenarios failed: \(names).", .red)
  }
}

/// A scenario on disk and its diagnostics.
struct ScenarioFile: CheckedFile {
  let path: String
  /// A line for each diagnostic, or the reason why the file cannot be read.
  let faults: [String]
  let diagnostics: [DiagnosticEntry]
  /// The scenario; nil if the file has an error.
  let scenario: Scenario?

  init(path: String, coloredFor terminal: Terminal) {
    self.path = path
    do throws(ProfileFile.Unreadable) {
      let bytes = try ProfileFile(path: path).read()
      let check = Scenario.check(bytes, file: path) { path in
        do throws(ProfileFile.Unreadable) {
          return .success(try ProfileFile(path: path).read())
        } catch {
          return .failure(UnreadableProfile(reason: error.reason))
        }
      }
      faults = check.diagnostics.map { DiagnosticText(terminal: terminal).line($0) }
      diagnostics = check.diagnostics.map(DiagnosticEntry.init)
      scenario = check.scenario
    } catch {
      faults = ["\(error)"]
      diagnostics = [DiagnosticEntry(unreadable: error)]
      scenario = nil
    }
  }

  /// `no errors: 2 apps, 1 central, 12 steps`.
  var summary: String? {
    return scenario.map { scenario in
      let counts = [
        Quote.counted(scenario.apps.count, "app"), Quote.counted(scenario.centrals.count, "central"),
        Quote.counted(scenario.steps.count, "step"),
      ]
      return "\(path): no errors: \(counts.joined(separator: ", "))"
    }
  }
}
