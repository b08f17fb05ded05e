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
      1 launch a mode -> a foreground launched
      1 start a Fred 180D
      2 radio off
      3 radio on -> air Fred 180D foreground
      """),
    Trace(
      "off, advertising pauses and requests of centrals that are gone are refused; on, it is back",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 read a #1 -> tell a #1, at 6.5
      3 radio off -> refuse a #1 0E R14, air nothing, at never
      4 read a #2 -> refuse a #2 0E R14
      4 answer a #1
      5 radio on -> air Fred 180D foreground
      """),
    Trace(
      "the user's switch and the radio's are both needed",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 switch off -> air nothing
      3 radio off
      4 switch on
      5 radio on -> air Fred 180D foreground
      6 switch off -> air nothing
      7 radio off
      8 radio on
      9 switch on -> air Fred 180D foreground
      """),
    Trace(
      "it comes back as what the app is by then",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 radio off -> air nothing
      3 back a -> a background userLeft, at 13
      4 radio on -> air bits 61 background
      """),
    Trace(
      "a suspended app is not woken by the power",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 radio off
      2 call a #1 -> queue a #1
      3 radio on
      3 call a #2 -> queue a #2
      4 subscribe a #3 -> a background woken subscribe, tell a #1, tell a #2, tell a #3, at 14
      """),
    Trace(
      "below off everything is forgotten",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 radio gone -> clear, air nothing
      3 radio on
      3 ? advertises a no
      4 start a Fred 180D -> air Fred 180D foreground
      """),
    Trace(
      "below off there is nothing that the user's switch changes",
      """
      1 switch off
      2 switch on
      3 radio gone
      """),
  ]
}
