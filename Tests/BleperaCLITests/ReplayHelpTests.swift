import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct ReplayHelpTests {
  @Test func `replay says what it compares and how it ends`() {
    #expect(
      Blepera.helpMessage(for: ReplayCommand.self, columns: 80) == """
        OVERVIEW: Play a recorded trace against profiles, and report the first
        difference.

        Takes from a trace, which 'serve' and 'lab' write with --record, what centrals
        did and what was done to the phone, and does it again to the profiles, each at
        its time. No Bluetooth is needed and no time passes: an hour is played in a
        second or less.

          blepera serve --virtual profiles/heart-rate.plist --record heart-rate.jsonl
          blepera replay heart-rate.jsonl profiles/heart-rate.plist

        Prints the first event that is another one than in the trace, with the lines
        around it: - for the trace, + for what happens now. The order and content of
        events are compared, times are not; docs/trace.md says all of it.

        The exit status is 0 without a difference and 1 with one; it is 2 if the trace
        cannot be played again or a profile has an error.

        USAGE: blepera replay [<options>] <trace> <file> ...

        ARGUMENTS:
          <trace>                 The trace.
          <file>                  The profiles of the trace's apps.

        OPTIONS:
          --ios <version>         The iOS whose rules hold; by default the trace's.
                                  (values: 11, 13, 14, 18, 26)
          --json                  Print the outcome as a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }
}
