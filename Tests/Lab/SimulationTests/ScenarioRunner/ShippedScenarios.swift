import BleperaSimulation
import TestSupport
import Testing

/// The scenarios of the folder `scenarios`.
enum ShippedScenarios {
  /// All of them, sorted.
  static let names: [String] =
    (try? ProjectFile.names(in: "scenarios").filter { $0.hasSuffix(".plist") }.map { String($0.dropLast(6)) }) ?? []

  /// Checked, without a diagnostic.
  static func scenario(_ name: String) throws -> Scenario {
    let check = Scenario.check(
      try ProjectFile.bytes("scenarios/\(name).plist"), file: "\(ProjectFile.root)/scenarios/\(name).plist"
    ) { path in
      (try? ProjectFile.bytes(at: path)).map { .success($0) } ?? .failure(UnreadableProfile(reason: "no such file"))
    }
    #expect(check.diagnostics.map { "\($0)" } == [])
    return try #require(check.scenario)
  }

  static func play(_ scenario: Scenario, _ name: String) async -> ScenarioResult {
    var runner = ScenarioRunner(scenario)
    return await runner.run(file: "scenarios/\(name).plist")
  }
}
