import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct ScenarioHelpTests {
  @Test func `scenario says what a scenario is`() {
    #expect(
      Blepera.helpMessage(for: ScenarioCommand.self, columns: 80) == """
        OVERVIEW: Play stories of phones and centrals, and see whether they end as
        expected.

        A scenario is a property list: phones with their apps, centrals, steps in their
        order, and what is expected of them. Nobody has to write code for it.
        docs/scenarios.md describes it.

        USAGE: blepera scenario <subcommand>

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          run                     Play scenarios on a virtual radio and a virtual
                                  clock, or on the adapters of bluetoothd.
          check                   Look for faults in scenarios and the profiles that
                                  they name, without playing them.

          See 'blepera help scenario <subcommand>' for detailed help.
        """)
  }

  @Test func `run says what it prints and how it ends`() {
    #expect(
      Blepera.helpMessage(for: ScenarioRunCommand.self, columns: 80) == """
        OVERVIEW: Play scenarios on a virtual radio and a virtual clock, or on the
        adapters of bluetoothd.

        Prints a line for each step, and for the first one that fails what was seen,
        what was expected, and what happened before it; the rest of that scenario is
        skipped. On the virtual radio hours pass in no time, and the same way every
        time. With --bluez it is the clock on the wall, and each phone, then each
        central, takes an adapter of its own: hci0, hci1 and so on, or those of
        --adapters.

          blepera scenario run scenarios/*.plist
          blepera scenario run --junit report.xml scenarios/*.plist
          blepera scenario run --bluez --adapters hci1,hci0 scenarios/whole-mask.plist

        The exit status is 0 if all steps have passed, 1 if one has failed, and 2 if a
        file has an error, a profile that it names has one, or a report cannot be
        written.

        USAGE: blepera scenario run [<options>] <file> ...

        ARGUMENTS:
          <file>                  A scenario, an XML or binary property list.

        OPTIONS:
          --ios <version>         The iOS of all phones and centrals, whatever the
                                  files say. (values: 11, 13, 14, 18, 26)
          --seed <number>         What chance is drawn from, whatever the files say.
          --junit <file>          Write a report in JUnit's XML as well.
          --tap                   Print the Test Anything Protocol (TAP 13) in place of
                                  text.
          --record <file>         Write the event trace to a file, for 'blepera replay'.
          --bluez                 Play on the adapters of this machine's bluetoothd, in
                                  real time.
          --adapters <list>       The adapters of --bluez, in the order in which they
                                  are taken.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `check says what a fault looks like`() {
    #expect(
      Blepera.helpMessage(for: ScenarioCheckCommand.self, columns: 80) == """
        OVERVIEW: Look for faults in scenarios and the profiles that they name, without
        playing them.

        Each fault is a line in the form that compilers use:

          FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

        The exit status is 2 if there is an error in any file, otherwise 0; a warning
        is no error.

        USAGE: blepera scenario check <file> ...

        ARGUMENTS:
          <file>                  A scenario, an XML or binary property list.

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test(
    arguments: [80, 100, 120],
    [ScenarioCommand.self, ScenarioRunCommand.self, ScenarioCheckCommand.self] as [any ParsableCommand.Type])
  func `no line of help is wider than the terminal`(columns: Int, command: any ParsableCommand.Type) {
    let lines = Blepera.helpMessage(for: command, columns: columns).split(separator: "\n")
    #expect(lines.filter { $0.count > columns } == [])
  }
}
