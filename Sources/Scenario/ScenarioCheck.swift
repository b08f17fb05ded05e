package import Profile

/// What checking a scenario came to.
package struct ScenarioCheck: Hashable, Sendable {
  /// Nil when there is an error among the diagnostics.
  package let scenario: Scenario?
  /// Those of the scenario in the order of their places, then those of the profiles that it names.
  package let diagnostics: [Diagnostic]
}
