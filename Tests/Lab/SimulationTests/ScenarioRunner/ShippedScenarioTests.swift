import BleperaSimulation
import Testing

@Suite struct ShippedScenarioTests {
  @Test func `all scenarios are shipped`() {
    #expect(
      ShippedScenarios.names == [
        "before-ios-14", "bit-collision", "coming-home", "filter-by-name", "force-quit", "foreground-only",
        "ios-14-rule", "killed-overnight", "leaving-home", "merged-scan", "remote-overnight", "strap-alerts",
        "strap-in-pocket", "whole-mask",
      ])
  }
}
