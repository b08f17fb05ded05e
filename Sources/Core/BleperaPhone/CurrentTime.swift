import BleperaBluetooth
import FoundationEssentials

/// The characteristic Current Time (GATT Specification Supplement, 3.62).
enum CurrentTime {
  private static let calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// Ten bytes, in UTC: year, month, day, hours, minutes, seconds, day of the week from Monday, 1/256 of a second, and
  /// no reason for an adjustment.
  static func value(at date: Date) -> [UInt8] {
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second, .nanosecond, .weekday], from: date)
    let year = UInt16(clamping: parts.year ?? 0)
    // Foundation counts from Sunday, 1.
    let weekday = ((parts.weekday ?? 1) + 5) % 7 + 1
    let fraction = (parts.nanosecond ?? 0) * 256 / 1_000_000_000
    return LittleEndian.bytes(year)
      + [parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0, weekday, fraction, 0]
      .map { UInt8(clamping: $0) }
  }
}
