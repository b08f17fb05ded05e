import ArgumentParser
import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaController
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

      With --controller the command starts that controller, and prints what it is and what it lacks, and nothing of \
      bluetoothd.

      The exit status is 1 if there is something to fix, otherwise 0.
      """)

  @Option(help: ArgumentHelp("The adapter to use (default: the first that is powered on).", valueName: "hciN"))
  var adapter: String?

  @Option(
    help: ArgumentHelp("Examine this controller: \(ControllerOptions.places).", valueName: "place"),
    transform: ControllerPlace.init)
  var controller: ControllerPlace?

  @Flag(help: "Print a JSON object on one line.")
  var json = false

  func run() async throws {
    if let controller { return try await examine(controller) }
    let report = await MachineProbe.look(bus: .system, on: EventLoop(name: "blepera"))
    let found = Diagnosis.findings(of: report, adapter: adapter)
    let isLab = OwnProcess.isInLab
    let status = try? await ControlConnection.ask(
      ControlRequest(.status), at: ControlAddress(name: ControlAddress.defaultName)
    ).status
    let defects = (status?.defects ?? []).map {
      Finding(.note, "phone", "has the defect \($0)", advice: "'blepera defect \($0) off' ends it")
    }
    let findings =
      (isLab ? DoctorReport.inLab(found) : found + ControllerDoctor.adapters(report)) + defects
    try show(findings, report.version.map { "\($0)" }, isLab ? [] : Diagnosis.limitations(report))
  }

  private func examine(_ place: ControllerPlace) async throws {
    do { try ControllerRights.drop(for: place) } catch { throw CommandFailure.exit("\(error)") }
    if let effects = place.effects { Terminal(.error).print(effects) }
    try show(await ControllerDoctor.findings(of: place, on: EventLoop(name: "blepera")), nil, [])
  }

  private func show(_ findings: [Finding], _ version: String?, _ limitations: [RadioLimitation]) throws {
    DoctorReport(findings: findings, version: version, limitations: limitations)
      .print(on: Terminal(.output), asJSON: json)
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
