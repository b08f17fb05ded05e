import Testing

@Suite("R3 and R11: several apps on one radio")
struct R11SeveralAppsTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "one app is in the foreground: opening another moves the first to the background",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 launch b only -> a background otherAppOpened, b foreground launched, air bits 61 background, at 12
      3 start b Ada L1 -> air Ada L1 bits 61 foreground
      4 front a -> b background otherAppOpened, a foreground userBroughtToFront, air Fred 180D foreground, at 9
      9 tick -> b suspended gracePeriodExpired, at never
      10 locked -> a background screenLocked, air bits 61 background, at 20
      11 unlocked -> a foreground screenUnlocked, air Fred 180D foreground, at never
      """),
    Trace(
      "the interval grows only with the last that leaves, and bits are OR-ed", splitView: true,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 launch b mode -> b foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      1 start b Ada L1 -> air Fred 180D L1 foreground
      2 back b -> b background userLeft, air Fred 180D bits 9 foreground, at 12
      3 back a -> a background userLeft, air bits 9 61 background
      12 tick -> b suspended gracePeriodExpired, at 13
      13 tick -> a suspended gracePeriodExpired, at never
      20 front b -> b foreground userBroughtToFront, air Ada L1 bits 61 foreground
      21 crash b -> b notRunning crash, forget b, air bits 61 background
      """),
    Trace(
      "a foreground-only app that leaves counts no more",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      1 back a -> a background userLeft, air bits 61 background, at 11
      2 launch b only -> b foreground launched
      2 start b Ada L1 -> air Ada L1 bits 61 foreground
      3 back b -> b background userLeft, air bits 61 background, at 8
      """),
    Trace(
      "the order is that of the starts, which a stop ends", splitView: true,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 launch b mode -> b foreground launched
      1 start b Ada L2 -> air Ada L2 foreground
      1 start a Fred L1 -> air Ada L2 bits 9 foreground
      2 stop b -> air Fred L1 foreground
      3 start b Ada L2 -> air Fred L1 bits 18 foreground
      3 start b Bob L3
      3 stop a -> air Ada L2 foreground
      4 stop b -> air nothing
      """),
    Trace(
      "the screen that goes off puts all into the background, and brings back whoever was in front", splitView: true,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      1 launch b only -> b foreground launched
      1 launch c mode -> c foreground launched
      2 back c -> c background userLeft, at 12
      3 locked -> a background screenLocked, b background screenLocked, air bits 61 background, at 8
      8 tick -> b suspended gracePeriodExpired, at 12
      9 unlocked -> a foreground screenUnlocked, b foreground screenUnlocked, air Fred 180D foreground
      """),
    Trace(
      "behind a screen that is off nothing comes to the front",
      """
      0 radio on
      1 locked
      1 launch a mode -> a background launched, at 11
      2 launch b mode left -> b inactive launched
      2 front b
      3 back a
      4 unlocked -> b foreground screenUnlocked
      """),
  ]
}
