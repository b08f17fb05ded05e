import BleperaBluetooth
import BleperaProfile
import BleperaSimulation
import Testing

@Suite struct PlantedBugTests {
  /// The failures that the bug causes in scenarios with a phone in the background.
  static let failures = [
    "before-ios-14": "found phone with the local name \"Heart Rate\"",
    "filter-by-name":
      "found phone with the local name \"Heart Rate\", no service UUIDs and the overflow bit 61; expected not to find it",
    "ios-14-rule": "found phone with the local name \"Heart Rate\"",
    "killed-overnight":
      "found phone with the local name \"Lock\", no service UUIDs and the overflow bit 47; expected no local name",
    "whole-mask":
      "found phone with the local name \"Lock\", no service UUIDs and the overflow bits 47 and 61; expected no local name",
  ]

  @Test(arguments: failures.sorted { $0.key < $1.key })
  func `a local name that stays in the background fails the scenarios that expect none`(
    name: String, expected: String
  ) async throws {
    let scenario = try ShippedScenarios.scenario(name)
    let localName = scenario.apps.first?.profile.advertisement?.localName ?? ""
    var runner = ScenarioRunner(scenario, on: .nameKeeping(localName))
    let result = await runner.run(file: name)
    let failure = result.steps.compactMap(\.failure).first
    #expect(failure?.hasPrefix(expected) == true, "\(failure ?? "it has passed")")
  }
}
