package import BleperaBlueZ
package import BleperaDBus
package import BleperaEventLoop

/// Explains why the radio cannot be used.
package enum RadioDoctor {
  /// The advice for a machine without Bluetooth.
  package static let withoutBluetooth =
    "No Bluetooth is needed by 'blepera serve --virtual FILE' and 'blepera lab -- COMMAND'."

  /// Returns the reason from the diagnosis of the machine, or with a controller where the user finds the reason.
  static func explain(_ reason: String, _ settings: RadioSettings, on loop: EventLoop) async -> String {
    guard let place = settings.controller else { return await explain(reason, settings.options, on: loop) }
    return "\(reason); 'blepera status' and the phone's log have the state of the controller \(place)"
  }

  /// Returns the reason from the diagnosis of the machine, or `reason` if the diagnosis finds none.
  package static func explain(
    _ reason: String, _ options: BlueZRadio.Options, bus: BusAddress = .system, on loop: EventLoop
  ) async -> String {
    let report = await MachineProbe.look(bus: bus, on: loop)
    let findings = Diagnosis.findings(of: report, adapter: options.adapter, powersOn: options.powersOn)
    if let found = Diagnosis.reason(findings) { return "\(found). \(withoutBluetooth)" }
    let note = findings.first { $0.subject == "kernel" && $0.severity == .note }
    let hint = note.map { "\($0.state); \($0.advice ?? "")" } ?? "see bluetoothd's log (journalctl -u bluetooth)"
    return "\(reason); \(hint)"
  }
}
