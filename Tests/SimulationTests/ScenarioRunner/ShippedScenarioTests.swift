import BleperaSimulation
import Testing

@Suite struct ShippedScenarioTests {
  @Test func `all scenarios are shipped`() {
    #expect(
      ShippedScenarios.names == [
        "before-ios-14", "bit-collision", "coming-home", "filter-by-name", "force-quit", "foreground-only",
        "ios-14-rule", "killed-overnight", "merged-scan", "remote-overnight", "strap-alerts", "strap-in-pocket",
        "whole-mask",
      ])
  }

  @Test(arguments: ShippedScenarios.names)
  func `a shipped scenario has no errors, and passes`(name: String) async throws {
    let scenario = try ShippedScenarios.scenario(name)
    let result = await ShippedScenarios.play(scenario, name)
    for step in result.steps {
      #expect(step.outcome == .passed, "\(name): \(step.text)\n\(step.trace.joined(separator: "\n"))")
    }
    #expect(result.steps.count == scenario.steps.count)
  }
}
