import Profile
import Scenario
import ScenarioRunner
import Testing

@Suite struct PlantedBugTests {
  /// Of each story that hears of a phone in the background, the failure that the bug leads to.
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

  @Test(arguments: Shipped.names)
  func `a local name that is kept in the background fails the stories that listen for it`(name: String) async throws {
    let scenario = try Shipped.scenario(name)
    let localName = scenario.apps.first?.profile.advertisement?.localName ?? ""
    var runner = ScenarioRunner(scenario, on: NameKeepingStage(base: Shipped.stage(scenario), localName: localName))
    let result = await runner.run(file: name)
    let failure = result.steps.compactMap(\.failure).first
    guard let expected = Self.failures[name] else {
      #expect(failure == nil)
      return
    }
    #expect(failure?.hasPrefix(expected) == true, "\(failure ?? "it has passed")")
  }
}
