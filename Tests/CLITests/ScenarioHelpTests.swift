import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct ScenarioHelpTests {
  @Test func `scenario says what a scenario is`() {
    #expect(
      Blepera.helpMessage(for: ScenarioCommand.self, columns: 80) == """
        OVERVIEW: Run scenarios of phones and centrals, and check their results.

        A scenario is a property list: phones with their apps, centrals, steps, and
        expected results. No code is needed. docs/scenarios.md describes the format.

        USAGE: blepera scenario <subcommand>

        OPTIONS:
          --version               Show the version.
          -h, --help              Show help information.

        SUBCOMMANDS:
          run                     Run scenarios on a virtual radio in virtual time, or
                                  on the adapters of bluetoothd.
          check                   Check scenarios and their profiles for errors,
                                  without running them.

          See 'blepera help scenario <subcommand>' for detailed help.
        """)
  }

  @Test func `run says what it prints and how it ends`() {
    #expect(
      Blepera.helpMessage(for: ScenarioRunCommand.self, columns: 80) == """
        OVERVIEW: Run scenarios on a virtual radio in virtual time, or on the adapters
        of bluetoothd.

        Prints a line for each step, and for the first step that fails the actual
        result, the expected result and the preceding events; the rest of that scenario
        is skipped. On the virtual radio, time is virtual and every run is the same.
        With --bluez, scenarios run in real time, and each phone, then each central,
        uses an adapter of its own: hci0, hci1 and so on, or those of --adapters.

          blepera scenario run scenarios/*.plist
          blepera scenario run --junit report.xml scenarios/*.plist
          blepera scenario run --report report.html scenarios/*.plist
          blepera scenario run --bluez --adapters hci1,hci0 scenarios/whole-mask.plist

        The exit status is 0 if all steps passed, 1 if a step failed or a report cannot
        be written, and 2 if a scenario or one of its profiles has an error.

        USAGE: blepera scenario run [<options>] <file> ...

        ARGUMENTS:
          <file>                  A scenario, a property list.

        OPTIONS:
          --ios <version>         The iOS version of all phones and centrals,
                                  overriding the files. (values: 10, 11, 12, 13, 14,
                                  15, 16, 17, 18, 26, 27)
          --phone-services        Publish an iPhone's own services on all phones,
                                  overriding the files.
          --seed <number>         Seed for the random number generator, overriding the
                                  files.
          --mtu <bytes>           The ATT_MTU that all centrals request, 23 to 517,
                                  overriding the files.
          --junit <file>          Also write a report in JUnit's XML format.
          --tap                   Print the Test Anything Protocol (TAP 13) instead of
                                  text.
          --json                  Print the results as a JSON object on one line
                                  instead of text.
          --record <file>         Write the event trace to a file, for 'blepera replay'.
          --report <file>         Write an HTML page that shows what happened; see
                                  'blepera help report'.
          --pcap <file>           Write the packets on the virtual radio to a file, for
                                  Wireshark.
          --bluez                 Run on the adapters of this machine's bluetoothd, in
                                  real time.
          --adapters <list>       The adapters for --bluez, in the order of the phones
                                  and centrals.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }

  @Test func `check says what a fault looks like`() {
    #expect(
      Blepera.helpMessage(for: ScenarioCheckCommand.self, columns: 80) == """
        OVERVIEW: Check scenarios and their profiles for errors, without running them.

        Each diagnostic is a line in the form that compilers use:

          FILE:LINE:COLUMN: error: KEY PATH: found ..., expected ...

        The exit status is 2 if any file has an error, otherwise 0; warnings do not
        count.

        USAGE: blepera scenario check <file> ... [--json]

        ARGUMENTS:
          <file>                  A scenario, a property list.

        OPTIONS:
          --json                  Print a JSON object on one line.
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
