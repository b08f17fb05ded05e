import ArgumentParser
import BlueZ
import DBus
import EventLoop

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look at this machine's bus, bluetoothd and adapters, and say what to mend.",
    discussion: """
      Each line begins with a mark:

        ok    as it should be
        note  works, with a difference
        FIX   keeps blepera from serving

      The exit status is 1 if there is something to fix, otherwise 0.
      """)

  @Option(help: ArgumentHelp("The adapter to be used; by default the first that is powered on.", valueName: "hciN"))
  var adapter: String?

  func run() async throws {
    let report = await MachineProbe.look(bus: .system, on: EventLoop(name: "blepera"))
    let findings = Diagnosis.findings(of: report, adapter: adapter)
    let terminal = Terminal(.output)
    for line in FindingText(terminal: terminal).lines(findings) { terminal.print(line) }
    if findings.contains(where: { $0.severity == .problem }) { throw ExitCode(1) }
  }
}
