import Glibc

/// A point in time, to the millisecond.
package struct Timestamp: Hashable, Comparable, Sendable {
  private let seconds: Int
  private let milliseconds: Int

  package init(seconds: Int, milliseconds: Int) {
    self.seconds = seconds
    self.milliseconds = milliseconds
  }

  package static var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
  }

  /// `14:03:59.042`, local time.
  package var clock: String {
    var time = seconds
    var parts = unsafe tm()
    unsafe localtime_r(&time, &parts)
    return unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(fraction)"
  }

  /// `2026-11-21T14:03:59.042Z` (RFC 3339).
  package var date: String {
    var time = seconds
    var parts = unsafe tm()
    unsafe gmtime_r(&time, &parts)
    let day = unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return unsafe "\(day)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(fraction)Z"
  }

  /// Reads what `date` writes; nil for anything else.
  package init?(date text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 24, bytes[23] == UInt8(ascii: "Z") else { return nil }
    for (place, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, ".")] as [(Int, Character)] {
      guard bytes[place] == mark.asciiValue else { return nil }
    }
    func number(_ range: Range<Int>) -> CInt? {
      guard bytes[range].allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return nil }
      return CInt(String(decoding: bytes[range], as: UTF8.self))
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), let milliseconds = number(20..<23)
    else { return nil }
    var parts = unsafe tm()
    (unsafe parts.tm_year, unsafe parts.tm_mon, unsafe parts.tm_mday) = (year - 1900, month - 1, day)
    (unsafe parts.tm_hour, unsafe parts.tm_min, unsafe parts.tm_sec) = (hour, minute, second)
    self.init(seconds: unsafe timegm(&parts), milliseconds: Int(milliseconds))
    // The 30th of February is none.
    guard date == text else { return nil }
  }

  package init(sinceEpoch duration: Duration) {
    self.init(
      seconds: Int(duration.components.seconds),
      milliseconds: Int(duration.components.attoseconds / 1_000_000_000_000_000))
  }

  /// Since 1970.
  package var sinceEpoch: Duration { .seconds(seconds) + .milliseconds(milliseconds) }

  package static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.milliseconds) < (right.seconds, right.milliseconds)
  }

  private var fraction: String { String("00\(milliseconds)".suffix(3)) }

  private func two(_ number: CInt) -> String { String("0\(number)".suffix(2)) }
}
