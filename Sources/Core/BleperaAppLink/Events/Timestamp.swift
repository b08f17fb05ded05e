import FoundationEssentials
import Glibc
import Synchronization

/// A point in time with millisecond resolution.
package struct Timestamp: Hashable, Comparable, Sendable {
  private let seconds: Int
  private let milliseconds: Int

  private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

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
  package var clock: String { Self.clocks.text(of: seconds) + fraction }

  /// `2026-11-21T14:03:59.042Z` (RFC 3339).
  package var date: String { Self.dates.text(of: seconds) + fraction + "Z" }

  /// `.042`
  private var fraction: String {
    (milliseconds < 10 ? ".00" : milliseconds < 100 ? ".0" : ".") + "\(milliseconds)"
  }

  private static let clocks = SecondText { seconds in
    func two(_ number: CInt) -> String { String("0\(number)".suffix(2)) }
    var time = seconds
    var parts = unsafe tm()
    unsafe localtime_r(&time, &parts)
    return unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  private static let dates = SecondText { seconds in
    String(style.format(Date(timeIntervalSince1970: Double(seconds))).prefix { $0 != "." })
  }

  /// The text of a second, kept for the next timestamp: events of one second are many.
  private final class SecondText: Sendable {
    private let kept = Mutex<(seconds: Int, text: String)?>(nil)
    private let make: @Sendable (Int) -> String

    init(_ make: @escaping @Sendable (Int) -> String) { self.make = make }

    var last: (seconds: Int, text: String)? { kept.withLock { $0 } }

    func text(of seconds: Int) -> String {
      kept.withLock { last in
        if let last, last.seconds == seconds { return last.text }
        let text = make(seconds)
        last = (seconds, text)
        return text
      }
    }
  }

  /// Parses what `date` returns; nil for anything else.
  package init?(date text: String) {
    if let last = Self.dates.last, text.hasPrefix(last.text), text.utf8.count == last.text.utf8.count + 5 {
      let end = Array(text.utf8.suffix(5))
      let digits = end[1...3].map { Int($0) - Int(UInt8(ascii: "0")) }
      if end[0] == UInt8(ascii: "."), end[4] == UInt8(ascii: "Z"), digits.allSatisfy((0...9).contains) {
        self.init(seconds: last.seconds, milliseconds: digits.reduce(0) { $0 * 10 + $1 })
        return
      }
    }
    guard let date = try? Self.style.parse(text) else { return nil }
    let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
    self.init(sinceEpoch: .milliseconds(milliseconds))
    // The style also accepts other spellings of a date. This keeps the second, too.
    guard self.date == text else { return nil }
  }

  package init(sinceEpoch duration: Duration) {
    self.init(
      seconds: Int(duration.components.seconds),
      milliseconds: Int(duration.components.attoseconds / 1_000_000_000_000_000))
  }

  /// - Parameter milliseconds: since 1970.
  init(milliseconds: Int) { self.init(seconds: milliseconds / 1000, milliseconds: milliseconds % 1000) }

  /// Since 1970.
  var inMilliseconds: Int { seconds * 1000 + milliseconds }

  /// Since 1970.
  package var sinceEpoch: Duration { .seconds(seconds) + .milliseconds(milliseconds) }

  package static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.milliseconds) < (right.seconds, right.milliseconds)
  }
}
