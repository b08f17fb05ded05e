import Testing

@Suite("R10: a cached value")
struct R10CachedValueTests {
  @Test("Each state of the app returns the value or its error", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "is returned in every state of the app, which is not woken",
      """
      0 radio on
      1 launched a backgroundMode into leftForeground -> a inactive launched, schedule 11
      1 ? cachedValueError a yes
      2 toForeground a -> a foreground userBroughtToFront, schedule never
      2 ? cachedValueError a yes
      3 toBackground a -> a background userLeft, schedule 13
      3 ? cachedValueError a yes
      13 deadline -> a suspended gracePeriodExpired, schedule never
      13 ? cachedValueError a yes
      13 ? state a suspended
      """),
    Trace(
      "of a suspended foreground-only app is returned, too",
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 ? cachedValueError a yes
      2 read a #1 -> refuse a #1 0E R4
      """),
    Trace(
      "is refused where the rule set disables services, while the app is not in the foreground",
      """
      0 radio on
      1 launched a foregroundOnly disablesCachedValues suspendedError 02 -> a foreground launched
      1 ? cachedValueError a yes
      2 toBackground a -> a background userLeft, schedule 7
      2 ? cachedValueError a 02
      7 deadline -> a suspended gracePeriodExpired, schedule never
      7 ? cachedValueError a 02
      8 toForeground a -> a foreground userBroughtToFront
      8 ? cachedValueError a yes
      """),
    Trace(
      "of an app with the background mode is never disabled",
      """
      0 radio on
      1 launched a backgroundMode disablesCachedValues -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 ? cachedValueError a yes
      """),
    Trace(
      "is refused once the app is forgotten",
      """
      0 radio on
      0 ? cachedValueError a 0E
      1 launched a backgroundMode -> a foreground launched
      2 terminated a crash -> a notRunning crash, forget a
      2 ? cachedValueError a 0E
      """),
  ]
}
