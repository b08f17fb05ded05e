import Profile

/// A story of phones and centrals, checked: who is there, what happens, and what is expected of it.
package struct Scenario: Hashable, Sendable {
  package var title = ""
  /// Of what is left to chance on a virtual radio.
  package var seed: UInt64 = 0
  package var phones: [Phone] = []
  package var centrals: [Central] = []
  package var steps: [Step] = []

  package init() {}

  /// The bytes of a profile by the path that a scenario names, or why they cannot be had.
  package typealias Loader = (_ path: String) -> Result<[UInt8], UnreadableProfile>

  /// Reads and checks a property list of either form.
  ///
  /// - Parameters:
  ///   - file: what diagnostics call it; paths of profiles are relative to its folder.
  ///   - load: called once for each profile that is named.
  package static func check(_ bytes: [UInt8], file: String, load: Loader) -> ScenarioCheck {
    var faults = FaultList()
    let document = PropertyList.read(bytes, faults: &faults)
    var scenario: Scenario?
    var others: [Diagnostic] = []
    if let root = document.root {
      let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
      var checker = ScenarioChecker(faults: faults, lines: document.lines, folder: folder)
      scenario = checker.scenario(root, load)
      (faults, others) = (checker.faults, checker.ofProfiles)
    }
    let isRight = !faults.hasErrors && others.allSatisfy { $0.severity != .error }
    return ScenarioCheck(
      scenario: isRight ? scenario : nil,
      diagnostics: faults.diagnostics(file: file, lines: document.lines) + others)
  }
}
