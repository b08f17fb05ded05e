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
      "a reset that ends in a radio that is off forgets once",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 read a #1 -> tell a #1, at 6.5
      3 radio gone -> refuse a #1 0E R14, clear, air nothing, at never
      3 radio gone
      4 radio off
      4 start a Ada 180F
      5 radio on -> air Ada 180F foreground
      """),
    Trace(
      "in a reset the background loses what R12 kept on the air",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      1 suspend a -> a suspended userSuspended, air bits 61 background
      2 radio gone -> clear, air nothing
      3 radio on
      4 subscribe a #1 -> a background woken subscribe, tell a #1, at 14
      5 start a Fred 180D -> withhold a R12
      6 front a -> a foreground userBroughtToFront, air Fred 180D foreground, at never
      """),
  ]
}
