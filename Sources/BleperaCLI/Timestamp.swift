import Glibc

/// A point in time, to the millisecond.
struct Timestamp: Sendable {
  private let seconds: Int
  private let milliseconds: Int

  init(seconds: Int, milliseconds: Int) {
    self.seconds = seconds
    self.milliseconds = milliseconds
  }

  static var now: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: time.tv_sec, milliseconds: time.tv_nsec / 1_000_000)
  }

  /// `14:03:59.042`, local time.
  var clock: String {
    var time = seconds
    var parts = unsafe tm()
    unsafe localtime_r(&time, &parts)
    return unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(fraction)"
  }

  /// `2026-11-21T14:03:59.042Z` (RFC 3339).
  var date: String {
    var time = seconds
    var parts = unsafe tm()
    unsafe gmtime_r(&time, &parts)
    let day = unsafe "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    return unsafe "\(day)T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)).\(fraction)Z"
  }

  private var fraction: String { String("00\(milliseconds)".suffix(3)) }

  private func two(_ number: CInt) -> String { String("0\(number)".suffix(2)) }
}
