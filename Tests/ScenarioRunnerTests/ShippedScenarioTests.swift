import Scenario
import ScenarioRunner
import Testing

@Suite struct ShippedScenarioTests {
  @Test func `all stories are there`() {
    #expect(
      Shipped.names == [
        "before-ios-14", "bit-collision", "filter-by-name", "force-quit", "foreground-only", "ios-14-rule",
        "killed-overnight", "whole-mask",
      ])
  }

  @Test(arguments: Shipped.names)
  func `a shipped scenario has no faults, and ends as it says`(name: String) async throws {
    let scenario = try Shipped.scenario(name)
    let result = await Shipped.play(scenario, name)
    for step in result.steps {
      #expect(step.outcome == .passed, "\(name): \(step.text)\n\(step.trace.joined(separator: "\n"))")
    }
    #expect(result.steps.count == scenario.steps.count)
  }
}
