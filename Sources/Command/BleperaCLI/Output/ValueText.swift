package import BleperaBluetooth

/// Formats a value: its bytes, and their meaning if known.
package enum ValueText {
  /// The maximum number of bytes shown.
  private static let limit = 20
  /// The shortest value that is recognized as text, in bytes.
  private static let shortestText = 5

  package static func text(_ value: [UInt8], of characteristic: BluetoothUUID?) -> String {
    guard !value.isEmpty else { return "(empty)" }
    let shown = Hex.string(value.prefix(limit), separator: " ")
    let bytes = value.count > limit ? "\(shown) … (\(value.count) bytes)" : shown
    return meaning(of: value, characteristic).map { "\(bytes)  \($0)" } ?? bytes
  }

  private static func meaning(of value: [UInt8], _ characteristic: BluetoothUUID?) -> String? {
    characteristic.flatMap { StandardValue.text(value, of: $0) } ?? printable(value)
  }

  /// Text without control characters, long enough that a number is rarely mistaken for text.
  private static func printable(_ value: [UInt8]) -> String? {
    guard value.count >= shortestText, value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }),
      let text = String(validating: value, as: UTF8.self)
    else { return nil }
    return Quote.text(text)
  }
}
