import GATT
import Profile

extension Duration {
  /// `0.5 s`, `8 h`.
  package var text: String {
    let seconds = self / .seconds(1)
    let (count, unit) =
      switch self {
      case .seconds(7200)...: (seconds / 3600, "h")
      case .seconds(120)...: (seconds / 60, "min")
      default: (seconds, "s")
      }
    let rounded = (count * 1000).rounded() / 1000
    return Int(exactly: rounded).map { "\($0) \(unit)" } ?? "\(rounded) \(unit)"
  }
}

extension [UInt8] {
  /// `06 54`.
  package var text: String { isEmpty ? "nothing" : Hex.string(self, separator: " ") }
}

extension [BluetoothUUID] {
  package var text: String { Quote.list(map { "\($0.shortened)" }, "and") }
}
