import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct RulesHelpTests {
  @Test func `rules says which versions there are`() {
    #expect(
      Blepera.helpMessage(for: RulesCommand.self, columns: 80) == """
        OVERVIEW: Print the rules of the emulated iPhone with their values and sources.

        Each rule describes what iOS does and to which apps, followed by its values in
        one version of iOS, each with its standing and its source: measured (the source
        names phone and file), documented by Apple or a specification, reported by a
        developer, or ours, that is, blepera's own, because none is published. What is
        known and not emulated is marked as not used yet. The last values belong to no
        rule of iOS.

        USAGE: blepera rules [<rule>] [--ios <version>] [--phone-kind <kind>] [--json]

        ARGUMENTS:
          <rule>                  A rule, such as R2 (default: all).

        OPTIONS:
          --ios <version>         The iOS version. (values: 10, 11, 12, 13, 14, 15, 16,
                                  17, 18, 26, 27; default: 26)
          --phone-kind <kind>     The kind of phone: with Apple's N1, as the iPhone 17,
                                  or earlier (default: earlier). (values: earlier, n1)
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }
}
