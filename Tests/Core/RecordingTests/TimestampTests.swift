import BleperaAppLink
import Testing

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, 0, "1970-01-01T00:00:00.000Z"), (951_827_696, 7, "2000-02-29T12:34:56.007Z"),
      (1_795_269_839, 42, "2026-11-21T14:03:59.042Z"), (4_102_444_799, 999, "2099-12-31T23:59:59.999Z"),
    ])
  func `a date is RFC 3339 in UTC, to the millisecond`(seconds: Int, milliseconds: Int, date: String) {
    #expect(Timestamp(seconds: seconds, milliseconds: milliseconds).date == date)
    #expect(Timestamp(date: date) == Timestamp(seconds: seconds, milliseconds: milliseconds))
  }

  @Test(
    arguments: [
      "", "2026-11-21T14:03:59Z", "2026-02-30T14:03:59.042Z", "2026-11-21T24:03:59.042Z", "2026-11-21 14:03:59.042Z",
      "2026-11-21T14:03:59.042+", "-026-11-21T14:03:59.042Z",
    ])
  func `nothing else is one`(text: String) {
    #expect(Timestamp(date: text) == nil)
  }

  /// Time zones differ from UTC by quarters of an hour.
  @Test(arguments: [(42, "59.042"), (0, "59.000"), (999, "59.999")])
  func `a clock is local time, to the millisecond`(milliseconds: Int, end: String) throws {
    let clock = Timestamp(seconds: 1_795_269_839, milliseconds: milliseconds).clock
    let match = try #require(clock.wholeMatch(of: #/([01][0-9]|2[0-3]):([0-5][0-9]):([0-9.]+)/#))
    #expect(try #require(Int(match.2)) % 15 == 3)
    #expect(match.3 == end)
  }

  @Test func `now is after this was written`() {
    #expect(Timestamp.now.date > "2026-01-01")
  }
}
