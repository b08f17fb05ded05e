import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio
import BleperaSessions

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Diagnose bluetoothd and adapters, and suggest fixes.",
    discussion: """
      Each line begins with the severity of a finding:

        ok    no problem
        note  works, with a limitation
        FIX   prevents blepera from serving

      The limitations of the running bluetoothd follow: what happens in place of what an iPhone does.

      The exit status is 1 if there is something to fix, otherwise 0.
      """)

  @Option(help: ArgumentHelp("The adapter to use (default: the first that is powered on).", valueName: "hciN"))
  var adapter: String?

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func run() async throws {
    let report = await MachineProbe.look(bus: .system, on: EventLoop(name: "blepera"))
    let found = Diagnosis.findings(of: report, adapter: adapter)
    let isLab = OwnProcess.isInLab
    let status = try? await ControlConnection.ask(
      ControlRequest(.status), at: ControlAddress(name: ControlAddress.defaultName)
    ).status
    let defects = (status?.defects ?? []).map {
      Finding(.note, "phone", "has the defect \($0)", advice: "'blepera defect \($0) off' ends it")
    }
    let findings = (isLab ? DoctorReport.inLab(found) : found) + defects
    DoctorReport(
      findings: findings, version: report.version.map { "\($0)" },
      limitations: isLab ? [] : Diagnosis.limitations(report)
    ).print(on: Terminal(.output), asJSON: json)
    if findings.contains(where: { $0.severity == .problem }) { throw ExitCode(1) }
  }
}

/// The result of `blepera doctor`.
struct DoctorReport: CommandReport {
  let findings: [Finding]
  /// The version of bluetoothd; nil if unknown.
  let version: String?
  let limitations: [RadioLimitation]

  /// The findings for a lab, without advice about this machine's settings, which a lab does not use.
  static func inLab(_ findings: [Finding]) -> [Finding] {
    [Finding(.good, "lab", "a lab of blepera: bus, bluetoothd and adapters are virtual, nothing has to be configured")]
      + findings.filter { $0.severity != .note }
  }

  private enum CodingKeys: CodingKey {
    case findings, limitations
  }

  private struct Entry: Encodable {
    /// `ok`, `note` or `problem`.
    let severity: String
    let subject: String
    let state: String
    let advice: String?
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let entries = findings.map { finding in
      let severity =
        switch finding.severity {
        case .good: "ok"
        case .note: "note"
        case .problem: "problem"
        }
      return Entry(severity: severity, subject: finding.subject, state: finding.state, advice: finding.advice)
    }
    try container.encode(entries, forKey: .findings)
    try container.encode(limitations, forKey: .limitations)
  }

  func lines(for terminal: Terminal) -> [String] {
    let isFaulty = findings.contains { $0.severity == .problem }
    let findings =
      FindingText(terminal: terminal).lines(findings) + (isFaulty ? ["", RadioDoctor.withoutBluetooth] : [])
    guard !limitations.isEmpty else { return findings }
    let daemon = "bluetoothd" + (version.map { " \($0)" } ?? "")
    let rows = limitations.map { limitation in
      let rule = limitation.rule ?? ""
      let padding = String(repeating: " ", count: max(1, 5 - rule.count))
      let fix = limitation.fixedIn.map { " (fixed in \($0))" } ?? ""
      return "  \(rule)\(padding)\(limitation.instead)\(fix)"
    }
    return findings + ["", "Limitations of \(daemon), where it differs from an iPhone:"] + rows
  }
}

/// Formats findings: the severity, the subject, its state and advice.
struct FindingText {
  let terminal: Terminal

  func lines(_ findings: [Finding]) -> [String] {
    let width = findings.map(\.subject.count).max() ?? 0
    return findings.map { finding in
      let padding = String(repeating: " ", count: width - finding.subject.count)
      let advice = finding.advice.map { "; \($0)" } ?? ""
      return "\(mark(finding.severity))  \(finding.subject)\(padding)  \(finding.state)\(advice)"
    }
  }

  private func mark(_ severity: Finding.Severity) -> String {
    switch severity {
    case .good: terminal.styled("ok  ", .green)
    case .note: terminal.styled("note", .yellow)
    case .problem: terminal.styled("FIX ", .red)
    }
  }
}
