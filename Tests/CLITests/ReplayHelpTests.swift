import ArgumentParser
import Testing

@testable import BleperaCLI

@Suite struct ReplayHelpTests {
  @Test func `replay says what it compares and how it ends`() {
    #expect(
      Blepera.helpMessage(for: ReplayCommand.self, columns: 80) == """
        OVERVIEW: Replay a recorded trace against profiles, and report the first
        difference.

        Repeats the actions of centrals and users from a trace, which 'serve' and 'lab'
        write with --record, on the profiles, each at its time. No Bluetooth is needed,
        and time is virtual: an hour takes a second or less.

          blepera serve --virtual profiles/heart-rate.plist --record heart-rate.jsonl
          blepera replay heart-rate.jsonl profiles/heart-rate.plist

        Prints the first event that differs from the trace, with the surrounding lines:
        - is the trace, + is the replay. The order and content of events are compared,
        their times are not; docs/trace.md has the details.

        The exit status is 0 without a difference and 1 with one. It is 2 if the trace
        cannot be replayed or a profile has an error.

        USAGE: blepera replay [<options>] <trace> <file> ...

        ARGUMENTS:
          <trace>                 The trace.
          <file>                  The profiles of the trace's apps.

        OPTIONS:
          --ios <version>         The iOS version to emulate (default: that of the
                                  trace). (values: 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                  26, 27)
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }
}
