import BleperaBluetooth
import BleperaRules

/// The values in traces: apps are letters, events `#1`, times seconds, codes two hexadecimal digits.
enum TraceWord {
  static func app(_ text: String) -> AppID {
    AppID(rawValue: text.unicodeScalars.first.map { Int($0.value) - 0x60 } ?? 0)
  }

  static func text(_ app: AppID) -> String {
    Unicode.Scalar(UInt8(clamping: app.rawValue + 0x60)).description
  }

  static func event(_ text: String) -> EventID { EventID(rawValue: Int(text.dropFirst()) ?? -1) }

  static func text(_ event: EventID) -> String { "#\(event.rawValue)" }

  static func cause(_ text: String) -> TerminationCause {
    guard let cause = TerminationCause(rawValue: text) else { preconditionFailure("unknown termination cause \(text)") }
    return cause
  }

  static func text(_ duration: Duration) -> String {
    let seconds = duration / .seconds(1)
    return Int(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
  }

  static func error(_ text: String) -> ATTError { ATTError(rawValue: UInt8(text, radix: 16) ?? 0) }

  static func text(_ error: ATTError) -> String { Hex.string([error.rawValue]) }

  /// L1 to L5 are 128-bit UUIDs.
  static func uuid(_ text: String) -> BluetoothUUID {
    if text.hasPrefix("L"), let number = UInt128(text.dropFirst()) { return BluetoothUUID(bits: number) }
    return BluetoothUUID(text) ?? BluetoothUUID(bits: 0)
  }

  static func text(_ uuid: BluetoothUUID) -> String { uuid.bits < 6 ? "L\(uuid.bits)" : "\(uuid)" }

  /// `Fred 180D 180F`, where `-` is no name.
  static func fields(_ words: [String]) -> AdvertisementData {
    AdvertisementData(localName: words.first == "-" ? nil : words.first, serviceUUIDs: words.dropFirst().map(uuid))
  }
}
