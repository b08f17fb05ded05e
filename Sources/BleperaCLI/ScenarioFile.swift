import Profile
import Scenario

/// A scenario on disk, checked.
struct ScenarioFile {
  let path: String
  /// A line for each fault, or one that says why the file cannot be read.
  let faults: [String]
  /// Nil where it has an error.
  let scenario: Scenario?

  init(path: String, colouredFor terminal: Terminal) {
    self.path = path
    do {
      let bytes = try ProfileFile(path: path).read()
      let check = Scenario.check(bytes, file: path) { path in
        do throws(ProfileFile.Unreadable) {
          return .success(try ProfileFile(path: path).read())
        } catch {
          return .failure(UnreadableProfile(reason: error.reason))
        }
      }
      faults = check.diagnostics.map { DiagnosticText(terminal: terminal).line($0) }
      scenario = check.scenario
    } catch {
      faults = ["\(error)"]
      scenario = nil
    }
  }

  /// `no errors: 2 apps, 1 central, 12 steps`.
  var summary: String? {
    func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
    return scenario.map { scenario in
      let counts = [
        counted(scenario.apps.count, "app"), counted(scenario.centrals.count, "central"),
        counted(scenario.steps.count, "step"),
      ]
      return "\(path): no errors: \(counts.joined(separator: ", "))"
    }
  }
}
