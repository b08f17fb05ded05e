package import BleperaCLI
import BleperaSimulation

extension HelpTopic {
  package static var scenario: HelpTopic {
    HelpTopic(
      "scenario", "The keys of a scenario.",
      [
        .paragraph(
          "A scenario is a property list. Its steps happen in order; what a step does is its Do. Where some steps have a "
            + "key, its meaning begins with them. An expectation is met once all of its keys are, within the time limit."
        )
      ] + parts(of: Scenario.schema))
  }
}
