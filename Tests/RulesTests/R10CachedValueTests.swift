import Testing

@Suite("R10: a cached value")
struct R10CachedValueTests {
  @Test("Each state has its answer", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "is answered in every state of an app, which is not woken",
      """
      0 radio on
      1 launch a mode left -> a inactive launched, at 11
      1 ? cached a yes
      2 front a -> a foreground userBroughtToFront, at never
      2 ? cached a yes
      3 back a -> a background userLeft, at 13
      3 ? cached a yes
      13 tick -> a suspended gracePeriodExpired, at never
      13 ? cached a yes
      13 ? state a suspended
      """),
    Trace(
      "of a suspended foreground-only app is answered too",
      """
      0 radio on
      1 launch a only -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 ? cached a yes
      2 read a #1 -> refuse a #1 0E R4
      """),
    Trace(
      "is refused where the rule set disables services, while the app is not in the foreground",
      """
      0 radio on
      1 launch a only disabled error 02 -> a foreground launched
      1 ? cached a yes
      2 back a -> a background userLeft, at 7
      2 ? cached a 02
      7 tick -> a suspended gracePeriodExpired, at never
      7 ? cached a 02
      8 front a -> a foreground userBroughtToFront
      8 ? cached a yes
      """),
    Trace(
      "of an app with the mode is not disabled",
      """
      0 radio on
      1 launch a mode disabled -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 ? cached a yes
      """),
    Trace(
      "goes with its app",
      """
      0 radio on
      0 ? cached a 0E
      1 launch a mode -> a foreground launched
      2 crash a -> a notRunning crash, forget a
      2 ? cached a 0E
      """),
  ]
}
