import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct RulesHelpTests {
  @Test func `rules says which versions there are`() {
    #expect(
      Blepera.helpMessage(for: RulesCommand.self, columns: 80) == """
        OVERVIEW: Print the rules by which an iPhone is emulated, with their values and
        sources.

        Each rule says what iOS does, and to which apps; below it stand the values that
        it needs, as they are in one version of iOS, each with the document or capture
        that it is from. Where nobody has published a value it is blepera's own and
        says so. The last values belong to no rule of iOS.

        USAGE: blepera rules [--ios <version>] [--json]

        OPTIONS:
          --ios <version>         The version of iOS whose values are printed. (values:
                                  11, 13, 14, 18, 26; default: 26)
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }
}
