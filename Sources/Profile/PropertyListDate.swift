/// The dates of XML property lists.
package enum PropertyListDate {
  /// Seconds since 2001-01-01T00:00:00Z of `YYYY-MM-DDTHH:MM:SSZ`; nil for anything else, also days that no month has.
  package static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
    let pattern = Array("0000-00-00T00:00:00Z".utf8)
    guard text.count == pattern.count else { return nil }
    var fields = [0]
    for (character, form) in zip(text, pattern) {
      if form != UInt8(ascii: "0") {
        guard character == form else { return nil }
        fields.append(0)
      } else {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { return nil }
        fields[fields.count - 1] = fields[fields.count - 1] * 10 + Int(character - UInt8(ascii: "0"))
      }
    }
    let (year, month, day) = (fields[0], fields[1], fields[2])
    guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day) else { return nil }
    guard fields[3] < 24, fields[4] < 60, fields[5] < 60 else { return nil }
    var total = day - 1
    for earlier in 1..<max(month, 1) { total += days(in: earlier, of: year) }
    total += 365 * (year - 2001) + leapDays(before: year) - leapDays(before: 2001)
    return Double(((total * 24 + fields[3]) * 60 + fields[4]) * 60 + fields[5])
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// How many of the years 0 to `year` - 1 have a 29 February.
  private static func leapDays(before year: Int) -> Int {
    (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
  }
}
