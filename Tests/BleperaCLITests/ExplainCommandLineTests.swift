import ArgumentParser
import Policy
import Testing

@testable import BleperaCLI

@Suite struct ExplainCommandLineTests {
  @Test(
    arguments: [
      ("profiles/heart-rate.plist", 26, ["foreground", "background"]),
      ("profiles/heart-rate.plist --state suspended --ios 11", 11, ["suspended"]),
      ("--ios 14 --json --state background profiles/heart-rate.plist profiles/smart-lock.plist", 14, ["background"]),
    ])
  func `explain takes profiles, a state and a version`(words: String, ios: Int, states: [String]) throws {
    let explanation = try ExplainSample.explanation(words)
    #expect(explanation.ios == ios)
    #expect(explanation.states.map(\.state.rawValue) == states)
    #expect(explanation.apps.count == words.split(separator: " ").count { $0.hasSuffix(".plist") })
  }

  @Test(
    arguments: [
      ([], "Missing expected argument '<file> ...'"),
      (["a.plist", "--state", "killed"], "Please provide one of 'foreground', 'background' or 'suspended'."),
      (["a.plist", "--ios", "17"], "Please provide one of '11', '13', '14', '18' or '26'."),
    ] as [([String], String)])
  func `what cannot be read is refused with status 64`(words: [String], message: String) {
    do {
      _ = try Blepera.parseAsRoot(["explain"] + words)
      Issue.record("accepted")
    } catch {
      #expect(Blepera.exitCode(for: error) == .validationFailure)
      #expect(Blepera.message(for: error).contains(message))
    }
  }

  @Test func `a faulty profile is reported as by check, and none is explained`() async throws {
    let paths = [Shipped.paths[0], #filePath, "/nonexistent/a.plist"]
    let profiles = ProfileFiles(paths, colouredFor: .coloured)
    #expect(profiles.profiles == nil)
    #expect(profiles.faults == paths.flatMap { CheckReport(ProfileFile(path: $0), colouredFor: .coloured).faults })
    #expect(profiles.faults.count >= 2)
    let command = try ExplainCommand.parse(paths)
    await #expect(throws: ExitCode(1)) { try await command.run() }
  }

  @Test func `an app without a name of its own is named after its file`() {
    let state = ExplainSample.state(.foreground, [ExplainSample.profile("a", [])])
    #expect(state.apps.map(\.identifier) == ["app1"])
    #expect(state.apps.map(\.description.name) == ["app1"])
  }

  @Test func `help says what is printed`() {
    #expect(
      Blepera.helpMessage(for: ExplainCommand.self, columns: 80) == """
        OVERVIEW: Print what an iPhone would send for profiles, and what BlueZ will,
        without a radio.

        For each state: every byte of both, AD structure by AD structure, the overflow
        area with the UUID behind each bit, what centrals see, who answers them, and by
        which rule. The foreground and the background stand side by side where the
        terminal has 99 columns. Several profiles are several apps on one phone, in the
        order in which they start. A faulty profile is reported as by `blepera check`,
        with exit status 1.

        USAGE: blepera explain <file> ... [--state <state>] [--ios <version>] [--json]

        ARGUMENTS:
          <file>                  A profile, an XML or binary property list.

        OPTIONS:
          --state <state>         Where the apps are; by default the foreground and the
                                  background. (values: foreground, background,
                                  suspended)
          --ios <version>         The version of iOS whose rules apply. (values: 11,
                                  13, 14, 18, 26; default: 26)
          --json                  Print a JSON object on one line.
          --version               Show the version.
          -h, --help              Show help information.

        """)
  }
}
