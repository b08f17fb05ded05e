import ArgumentParser
import BleperaBlueZ
import BleperaBluetooth
import BleperaProfileApp
import BleperaRecording
import BleperaRules
import BleperaSimulation

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay a trace, and report the first difference.",
    usage: "blepera replay [<options>] <trace> <file> ...",
    discussion: """
      Repeats the actions of centrals and users from a trace, which 'serve' and 'lab' write with --record, on the \
      profiles, each at its time. No Bluetooth is needed, and time is virtual: an hour takes a second or less.

        blepera serve --virtual profiles/heart-rate.plist --record heart-rate.jsonl
        blepera replay heart-rate.jsonl profiles/heart-rate.plist

      Prints the first event that differs from the trace, with the surrounding lines: - is the trace, + is the replay. \
      The order and content of events are compared, their times are not; docs/trace.md has the details.

      The exit status is 0 without a difference and 1 with one. It is 2 if the trace cannot be replayed or a profile has \
      an error.
      """)

  @Argument(help: ArgumentHelp("The trace.", valueName: "trace"), completion: .trace)
  var path: String

  @Argument(help: ArgumentHelp("The profiles of the trace's apps.", valueName: "file"), completion: .propertyList)
  var files: [String]

  @Option(help: ArgumentHelp("The iOS version to emulate (default: that of the trace).", valueName: "version"))
  var ios: IOSVersion?

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  /// In bytes: enough for some days of a busy phone.
  static let longestTrace = 256 << 20

  func run() throws {
    let errors = Terminal(.error)
    let bytes: [UInt8]
    do throws(ProfileFile.Unreadable) {
      bytes = try ProfileFile.read(path, atMost: Self.longestTrace, what: "a trace", form: "a trace")
    } catch {
      errors.print(error.description)
      throw ExitCode.faultyInput
    }
    let profiles = try ProfileFiles.load(files)
    let report: ReplayReport
    do throws(ReplayFailure) {
      report = try play(bytes, profiles, errors)
    } catch {
      errors.print(error.description)
      throw ExitCode.faultyInput
    }
    report.print(on: Terminal(.output), asJSON: json)
    if report.difference != nil { throw ExitCode(1) }
  }

  /// A line of text for standard error.
  private struct ReplayFailure: Error {
    let description: String
  }

  private func play(
    _ bytes: [UInt8], _ profiles: [NamedProfile], _ errors: Terminal
  ) throws(ReplayFailure) -> ReplayReport {
    do throws(TraceFault) {
      var trace = try TraceFile(bytes)
      if let ios { trace.header.ios = ios.rawValue }
      let script = try ReplayScript(trace)
      if let line = trace.cutLine { errors.print("\(path):\(line): the last line is incomplete and is skipped") }
      let apps = profiles.map { ReplayedApp(profile: $0.profile, name: $0.name) }
      let comparison = try ReplayPlayer(
        trace, script, apps: apps, bluezTimeLimit: .bluezRequestTimeLimit
      ).play()
      return ReplayReport(path: path, trace: trace, script: script, difference: comparison.firstDifference)
    } catch { throw ReplayFailure(description: "\(path)\(error)") }
  }
}
