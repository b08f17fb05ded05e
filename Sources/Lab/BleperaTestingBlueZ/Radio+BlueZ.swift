package import BleperaDBus
public import BleperaSimulation
import Glibc

extension Radio {
  /// bluetoothd's adapters, in real time: each phone and each central uses the next adapter: `hci0`, `hci1`, ...
  public static var bluez: Radio { bluez((0..<16).map { "hci\($0)" }) }

  /// bluetoothd's adapters, in real time: each phone and each central uses the next of the given adapters.
  public static func bluez(_ adapters: [String]) -> Radio { bluez(adapters, on: .system) }

  package static func bluez(_ adapters: [String], on bus: BusAddress) -> Radio {
    Radio("bluez:\(adapters.joined(separator: ","))") { _, _ in BlueZBackend(bus: bus, adapters: adapters) }
  }

  /// The radio selected by the environment variable `BLEPERA_RADIO`: `virtual`, `bluez`, or `bluez:hci1,hci0` for these
  /// adapters; virtual if unset.
  ///
  /// - Precondition: The variable has one of these values.
  public static var fromEnvironment: Radio {
    guard let value = unsafe getenv("BLEPERA_RADIO") else { return .virtual }
    let text = unsafe String(cString: value)
    guard let radio = Radio(text) else {
      preconditionFailure("BLEPERA_RADIO is '\(text)'; set it to virtual, bluez or bluez:hci0,hci1")
    }
    return radio
  }

  private init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    switch (parts[0], parts.count) {
    case ("virtual", 1), ("", 1): self = .virtual
    case ("bluez", 1): self = .bluez
    case ("bluez", 2):
      let adapters = parts[1].split(separator: ",").map { "\($0)" }
      guard !adapters.isEmpty else { return nil }
      self = .bluez(adapters)
    default: return nil
    }
  }
}
