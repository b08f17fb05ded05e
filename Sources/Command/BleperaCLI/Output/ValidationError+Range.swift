package import ArgumentParser
import BleperaBluetooth

extension ValidationError {
  /// - Parameter range: the range as text, such as `0 to 100 percent`.
  package static func outOfRange(_ option: String, _ range: String, _ value: Double) -> ValidationError {
    ValidationError("'\(option)' must be from \(range), not \(Quote.number(value)).")
  }
}
