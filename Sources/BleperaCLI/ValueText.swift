import GATT
import Profile

/// A value as a central shows it: its bytes, and what they say where that is plain.
enum ValueText {
  /// At most so many bytes are shown.
  private static let limit = 20
  /// Of a text that is recognised by itself, in bytes.
  private static let shortestText = 5
  /// Body Sensor Location (GATT Specification Supplement, 3.36).
  private static let locations = ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"]

  static func text(_ value: [UInt8], of characteristic: BluetoothUUID?) -> String {
    guard !value.isEmpty else { return "(empty)" }
    let shown = Hex.string(value.prefix(limit), separator: " ")
    let bytes = value.count > limit ? "\(shown) … (\(value.count) bytes)" : shown
    return meaning(of: value, characteristic).map { "\(bytes)  \($0)" } ?? bytes
  }

  private static func meaning(of value: [UInt8], _ characteristic: BluetoothUUID?) -> String? {
    switch characteristic {
    case BluetoothUUID(0x2A37 as UInt16): heartRate(value)
    case BluetoothUUID(0x2A38 as UInt16): locations.indices.contains(Int(value[0])) ? locations[Int(value[0])] : nil
    case BluetoothUUID(0x2A19 as UInt16): value.count == 1 ? "\(value[0]) %" : nil
    default: printable(value)
    }
  }

  /// Flags, then one byte, or two where bit 0 of the flags says so (GATT Specification Supplement, 3.113).
  private static func heartRate(_ value: [UInt8]) -> String? {
    let isWide = value[0] & 1 == 1
    guard value.count >= (isWide ? 3 : 2) else { return nil }
    return "\(isWide ? Int(value[1]) | Int(value[2]) << 8 : Int(value[1])) beats a minute"
  }

  /// Text without control characters, of so many bytes that numbers seldom look like it.
  private static func printable(_ value: [UInt8]) -> String? {
    guard value.count >= shortestText, value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      let text = String(validating: value, as: UTF8.self)
    else { return nil }
    return Quote.text(text)
  }
}
