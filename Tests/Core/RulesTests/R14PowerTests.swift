import Testing

@Suite("R14: power")
struct R14PowerTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "advertising waits for the radio",
      """
      1 launched a backgroundMode -> a foreground launched
      1 startAdvertising a Fred 180D
      2 radio off
      3 radio on -> air Fred 180D foreground
      """),
    Trace(
      "switching off pauses advertising and refuses pending requests; switching on resumes advertising",
      after: .advertised,
      """
      2 read a #1 -> deliver a #1, schedule 6.5
      3 radio off -> refuse a #1 0E R14, air nothing, schedule never
      4 read a #2 -> refuse a #2 0E R14
      4 answered a #1
      5 radio on -> air Fred 180D foreground
      """),
    Trace(
      "advertising is resumed as the app's state is by then", after: .advertised,
      """
      2 radio off -> air nothing
      3 toBackground a -> a background userLeft, schedule 13
      4 radio on -> air bits 61 background
      """),
    Trace(
      "switching the radio on does not wake a suspended app", after: .suspended,
      """
      2 radio off
      2 callback a #1 -> queue a #1
      3 radio on
      3 callback a #2 -> queue a #2
      4 subscribe a #3 -> a background wokenForNotice subscribe, deliver a #1, deliver a #2, deliver a #3,
        schedule 14
      """),
    Trace(
      "an unavailable radio clears services and advertisements", after: .advertised,
      """
      2 radio unavailable -> clearDatabase, air nothing
      3 radio on
      3 ? isAdvertising a no
      4 startAdvertising a Fred 180D -> air Fred 180D foreground
      """),
    Trace(
      "a reset followed by power-off clears the database once", after: .advertised,
      """
      2 read a #1 -> deliver a #1, schedule 6.5
      3 radio unavailable -> refuse a #1 0E R14, clearDatabase, air nothing, schedule never
      3 radio unavailable
      4 radio off
      4 startAdvertising a Ada 180F
      5 radio on -> air Ada 180F foreground
      """),
    Trace(
      "a reset clears advertisements that R12 kept on the air in the background", after: .advertised,
      """
      1 suspend a -> a suspended userSuspended, air bits 61 background
      2 radio unavailable -> clearDatabase, air nothing
      3 radio on
      4 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 14
      5 startAdvertising a Fred 180D -> withholdAdvertising a R12
      6 toForeground a -> a foreground userBroughtToFront, air Fred 180D foreground, schedule never
      """),
  ]
}
