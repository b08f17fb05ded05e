import BleperaAir
package import BleperaBlueZ
import BleperaBluetooth
package import BleperaDBus
package import BleperaEventLoop
import BleperaLoop
package import BleperaPhone
import BleperaRadio

/// The settings of a phone and its radio.
package struct RadioSettings: Sendable {
  package var options = BlueZRadio.Options()
  package var phone = PhoneSettings()
  /// The options that were given: `--ios 26`, `--exact`.
  package var given: [String] = []
  package var arguments: [String] { given.flatMap { $0.split(separator: " ", maxSplits: 1).map(String.init) } }

  package init() {}
}

extension EmulatedPhone {
  /// Starts the phone on an adapter of bluetoothd.
  func start(
    bus: BusAddress, options: BlueZRadio.Options, on loop: EventLoop
  ) async throws {
    let connection = try await DBusConnection.open(bus, on: loop)
    try await start { report in
      BlueZRadio(connection: connection, options: options) { () throws(DBusFailure) in
        try await DBusConnection.open(bus, on: loop)
      } report: {
        report($0)
      }
    }
  }

  /// Starts the phone on a virtual air.
  ///
  /// - Parameter identity: the adapter's; nil where it is not kept.
  func start(
    on air: AirHost, adapter: AdapterID, identity: PhoneIdentity? = nil, pairing: PairingMode = .justWorks,
    beacon: AdvertisingPackets? = nil
  ) async throws {
    try await start {
      VirtualRadio(air: air, adapter: adapter, identity: identity, pairing: pairing, beacon: beacon, report: $0)
    }
  }
}

extension LaunchMode {
  /// The option of `blepera serve` and `lab` that launches apps so.
  package var option: String { self == .foreground ? "--foreground" : "--background" }
}

/// Explains why the radio cannot be used.
package enum RadioDoctor {
  /// What works where there is no Bluetooth.
  package static let withoutBluetooth =
    "No Bluetooth is needed by 'blepera serve --virtual FILE' and 'blepera lab -- COMMAND'."

  /// Returns the reason that the diagnosis of the machine gives, otherwise `reason`.
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
