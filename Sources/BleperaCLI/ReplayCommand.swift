import ArgumentParser
import EventTrace
import Policy
import Replay

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Play a recorded trace against profiles, and report the first difference.",
    usage: "blepera replay [<options>] <trace> <file> ...",
    discussion: """
      Takes from a trace, which 'serve' and 'lab' write with --record, what centrals did and what was done to the phone, \
      and does it again to the profiles, each at its time. No Bluetooth is needed and no time passes: an hour is played \
      in a second or less.

        blepera serve --virtual profiles/heart-rate.plist --record heart-rate.jsonl
        blepera replay heart-rate.jsonl profiles/heart-rate.plist

      Prints the first event that is another one than in the trace, with the lines around it: - for the trace, + for what \
      happens now. The order and content of events are compared, times are not; docs/trace.md says all of it.

      The exit status is 0 without a difference and 1 with one; it is 2 if the trace cannot be played again or a profile \
      has an error.
      """)

  @Argument(help: ArgumentHelp("The trace.", valueName: "trace"))
  var path: String

  @Argument(help: ArgumentHelp("The profiles of the trace's apps.", valueName: "file"))
  var files: [String]

  @Option(help: ArgumentHelp("The iOS whose rules hold; by default the trace's.", valueName: "version"))
  var ios: IOSVersion?

  @Flag(help: "Print the outcome as a JSON object on one line.")
  var json = false

  /// In bytes: some days of a busy phone.
  private static let longestTrace = 256 << 20

  func run() throws {
    let errors = Terminal(.error)
    let files = ProfileFiles(files, colouredFor: errors)
    for line in files.faults { errors.print(line) }
    guard let profiles = files.profiles else { throw ExitCode(2) }
    let report: ReplayReport
    do throws(ReplayFailure) {
      report = try play(profiles, errors)
    } catch {
      errors.print(error.description)
      throw ExitCode(2)
    }
    report.print(on: Terminal(.output), asJSON: json)
    if report.difference != nil { throw ExitCode(1) }
  }

  /// A line for standard error.
  private struct ReplayFailure: Error {
    let description: String
  }

  private func play(_ profiles: [NamedProfile], _ errors: Terminal) throws(ReplayFailure) -> ReplayReport {
    let bytes: [UInt8]
    do throws(ProfileFile.Unreadable) {
      bytes = try ProfileFile.read(path, atMost: Self.longestTrace, what: "a trace", form: "a trace")
    } catch { throw ReplayFailure(description: error.description) }
    do throws(TraceFault) {
      var trace = try TraceFile(bytes)
      if let ios { trace.header.ios = ios.rawValue }
      let script = try ReplayScript(trace)
      if let line = trace.cutLine { errors.print("\(path):\(line): the last line is cut off, and left out") }
      let apps = profiles.map { ReplayedApp(profile: $0.profile, name: $0.name) }
      let comparison = try ReplayStage(trace, script, apps: apps).play()
      return ReplayReport(path: path, trace: trace, script: script, difference: comparison.firstDifference)
    } catch { throw ReplayFailure(description: "\(path)\(error)") }
  }
}
