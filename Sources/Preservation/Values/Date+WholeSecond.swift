import FoundationEssentials

extension Date {
  /// The second that it is in, within the four-digit years of a property list; 1970 where it is no number.
  var wholeSecond: Date {
    let last = 253_402_300_799.0
    let seconds = timeIntervalSince1970
    guard !seconds.isNaN else { return Date(timeIntervalSince1970: 0) }
    return Date(timeIntervalSince1970: min(max(seconds, 0), last).rounded(.down))
  }
}
