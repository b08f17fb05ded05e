import BleperaBluetooth
import BleperaCompare
import BleperaProfile
import BleperaRules
import Glibc

extension MeasuredPhone {
  /// Creates a phone with the measured values that differ from a rule set.
  ///
  /// - Parameters:
  ///   - captures: the paths of the files.
  ///   - showsValues: whether Apple's items keep the bytes that may recognize the phone, which are 0 otherwise.
  init(_ comparison: CaptureComparison, _ rules: RuleSet, of captures: [String], showsValues: Bool) {
    let files = captures.map { $0.split(separator: "/").last.map(String.init) ?? $0 }.joined(separator: ", ")
    let date = Self.date(comparison.end)
    let values = comparison.compare(with: rules).compactMap { value -> Value? in
      guard value.verdict == .differs, let measured = value.measured else { return nil }
      let source = "\(files), \(measured.packets) packets, \(date)"
      return Value(value.name, showsValues ? measured.content : measured.content.anonymous, source: source)
    }
    self.init(name: comparison.product ?? "an iPhone", ios: rules.version, values: values)
  }

  /// `2026-06-18`, by the clock of the file.
  private static func date(_ nanoseconds: Int64) -> String {
    var seconds = time_t(nanoseconds / 1_000_000_000)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    let (year, month, day) = unsafe (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
  }
}

extension RuleContent {
  /// Apple's items without the tag of Nearby Info and the contents of others.
  fileprivate var anonymous: RuleContent {
    switch self {
    case .list(let items): .list(items.map(\.anonymous))
    // The bytes before the tag of Nearby Info are type, length, status and flags.
    case .bytes(let bytes):
      .bytes(bytes.enumerated().map { $0 < (bytes[0] == 0x10 ? 4 : 2) ? $1 : 0 })
    default: self
    }
  }
}
