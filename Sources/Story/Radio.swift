package import DBus
import Glibc

/// What the phones and centrals of a story send and hear with.
public struct Radio: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case virtual
    case bluez(BusAddress, adapters: [String])
  }

  package let kind: Kind

  package init(_ kind: Kind) { self.kind = kind }

  /// An air within the process, on a virtual clock.
  public static let virtual = Radio(.virtual)

  /// bluetoothd's adapters, in real time: each phone and each central takes the next one, `hci0`, `hci1`, ...
  public static var bluez: Radio { bluez((0..<16).map { "hci\($0)" }) }

  /// bluetoothd's adapters, in real time: each phone and each central takes the next one of these.
  public static func bluez(_ adapters: [String]) -> Radio { Radio(.bluez(.system, adapters: adapters)) }

  /// What the environment variable `BLEPERA_RADIO` says: `bluez`, or `bluez:hci1,hci0` for these adapters; without it
  /// virtual.
  ///
  /// - Precondition: it says one of these.
  public static var fromEnvironment: Radio {
    guard let value = unsafe getenv("BLEPERA_RADIO") else { return .virtual }
    let text = unsafe String(cString: value)
    guard let radio = Radio(text) else {
      preconditionFailure("BLEPERA_RADIO is '\(text)'; set it to virtual, bluez or bluez:hci0,hci1")
    }
    return radio
  }

  /// Nil where the text is none.
  init?(_ text: String) {
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
