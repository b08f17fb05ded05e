import Testing

@Suite("R3 and R11: several apps on one radio")
struct R11SeveralAppsTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "one app is in the foreground: opening another moves the first to the background", after: .advertised,
      """
      2 launched b foregroundOnly -> a background otherAppOpened, b foreground launched, air bits 61 background,
        schedule 12
      3 startAdvertising b Ada L1 -> air Ada L1 bits 61 foreground
      4 toForeground a -> b background otherAppOpened, a foreground userBroughtToFront, air Fred 180D foreground,
        schedule 9
      9 deadline -> b suspended gracePeriodExpired, schedule never
      10 locked -> a background screenLocked, air bits 61 background, schedule 20
      11 unlocked -> a foreground screenUnlocked, air Fred 180D foreground, schedule never
      """),
    Trace(
      "the background interval applies when the last app has left the foreground, and overflow bits are combined",
      splitView: true,
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      1 launched b backgroundMode -> b foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      1 startAdvertising b Ada L1 -> air Fred 180D L1 foreground
      2 toBackground b -> b background userLeft, air Fred 180D bits 9 foreground, schedule 12
      3 toBackground a -> a background userLeft, air bits 9 61 background
      12 deadline -> b suspended gracePeriodExpired, schedule 13
      13 deadline -> a suspended gracePeriodExpired, schedule never
      20 toForeground b -> b foreground userBroughtToFront, air Ada L1 bits 61 foreground
      21 terminated b crash -> b notRunning crash, forget b, air bits 61 background
      """),
    Trace(
      "a foreground-only app in the background does not affect the interval", after: .advertised,
      """
      1 toBackground a -> a background userLeft, air bits 61 background, schedule 11
      2 launched b foregroundOnly -> b foreground launched
      2 startAdvertising b Ada L1 -> air Ada L1 bits 61 foreground
      3 toBackground b -> b background userLeft, air bits 61 background, schedule 8
      """),
    Trace(
      "the apps' order is that of their starts, and a stop removes an app from it", splitView: true,
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      1 launched b backgroundMode -> b foreground launched
      1 startAdvertising b Ada L2 -> air Ada L2 foreground
      1 startAdvertising a Fred L1 -> air Ada L2 bits 9 foreground
      2 stopAdvertising b -> air Fred L1 foreground
      3 startAdvertising b Ada L2 -> air Fred L1 bits 18 foreground
      3 startAdvertising b Bob L3
      3 stopAdvertising a -> air Ada L2 foreground
      4 stopAdvertising b -> air nothing
      """),
    Trace(
      "locking moves every app to the background, and unlocking returns the frontmost apps to the foreground",
      splitView: true, after: .advertised,
      """
      1 launched b foregroundOnly -> b foreground launched
      1 launched c backgroundMode -> c foreground launched
      2 toBackground c -> c background userLeft, schedule 12
      3 locked -> a background screenLocked, b background screenLocked, air bits 61 background, schedule 8
      8 deadline -> b suspended gracePeriodExpired, schedule 12
      9 unlocked -> a foreground screenUnlocked, b foreground screenUnlocked, air Fred 180D foreground
      """),
    Trace(
      "while the screen is locked no app moves to the foreground",
      """
      0 radio on
      1 locked
      1 launched a backgroundMode -> a background launched, schedule 11
      2 launched b backgroundMode into leftForeground -> b inactive launched
      2 toForeground b
      3 toBackground a
      4 unlocked -> b foreground screenUnlocked
      """),
  ]
}
