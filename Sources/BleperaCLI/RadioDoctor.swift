import BlueZ
import DBus
import EventLoop

/// Why the radio does not do what it should.
enum RadioDoctor {
  /// The doctor's reason where it finds one, otherwise `reason`.
  static func explain(
    _ reason: String, _ options: Peripheral.Options, bus: BusAddress = .system, on loop: EventLoop
  ) async -> String {
    let report = await MachineProbe.look(bus: bus, on: loop)
    let findings = Diagnosis.findings(of: report, adapter: options.adapter, powersOn: options.powersOn)
    if let found = Diagnosis.reason(findings) { return found }
    let note = findings.first { $0.subject == "kernel" && $0.severity == .note }
    let hint = note.map { "\($0.state); \($0.advice ?? "")" } ?? "see bluetoothd's log (journalctl -u bluetooth)"
    return "\(reason); \(hint)"
  }
}
