import Testing

@Suite("R4: an app without the background mode")
struct R04ForegroundOnlyTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "in the foreground the app is advertised, receives its events and is never suspended",
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 read a #1 -> deliver a #1, schedule 6.5
      3 answered a #1 -> schedule never
      9 subscribe a #2 -> deliver a #2
      9 ? nextDeadline never
      """),
    Trace(
      "in the background it is not advertised and is suspended after 5 s; the user's return advertises it again",
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 toBackground a -> a background userLeft, air nothing, schedule 7
      2 ? advertisingWithheldBy a R4
      3 ? budgetLeft a 4
      6.9 deadline
      7 deadline -> a suspended gracePeriodExpired, schedule never
      9 toForeground a -> a foreground userBroughtToFront, air Fred 180D foreground
      9 ? advertisingWithheldBy a no
      """),
    Trace(
      "in the background its requests are refused at once, and notices are delivered until it is suspended",
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 7
      2 read a #1 -> refuse a #1 0E R4
      3 write a #3 -> refuse a #3 0E R4
      3 command a #4 -> refuse a #4 0E R4
      6.6 subscribe a #2 -> deliver a #2
      7 deadline -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "suspending it refuses the pending request, which does not count as an overrun",
      """
      0 radio on
      1 launched a foregroundOnly suspendedError 02 -> a foreground launched
      5 read a #1 -> deliver a #1, schedule 9.5
      6 suspend a -> refuse a #1 02 R4, a suspended userSuspended, schedule never
      8 answered a #1
      8 ? overruns a 0
      """),
    Trace(
      "a suspended app is not woken: requests are refused, notices are queued in order",
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 read a #1 -> refuse a #1 0E R4
      3 write a #2 -> refuse a #2 0E R4
      3 command a #7 -> refuse a #7 0E R4
      4 subscribe a #3 -> queue a #3
      5 callback a #4 -> queue a #4
      6 unsubscribe a #5 -> queue a #5
      6 ? queueLength a 3
      6 ? isRunning a no
      60 toForeground a -> a foreground userBroughtToFront, deliver a #3, deliver a #4, deliver a #5
      60 ? queueLength a 0
      61 read a #6 -> deliver a #6, schedule 65.5
      """),
    Trace(
      "the profile's suspended error replaces the rule's",
      """
      0 radio on
      1 launched a foregroundOnly suspendedError 05 -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 read a #1 -> refuse a #1 05 R4
      """),
    Trace(
      "advertising that it starts in the background begins at the next foreground",
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 7
      3 startAdvertising a Fred 180D -> withholdAdvertising a R4
      4 toForeground a -> a foreground userBroughtToFront, air Fred 180D foreground, schedule never
      """),
    Trace(
      "launched as an app that has left the foreground, it is not advertised before the next foreground",
      """
      0 radio on
      1 launched a foregroundOnly into leftForeground -> a inactive launched, schedule 11
      2 startAdvertising a Fred 180D -> a background launchFinished, withholdAdvertising a R4, schedule 7
      7 deadline -> a suspended gracePeriodExpired, schedule never
      9 toForeground a -> a foreground userBroughtToFront, air Fred 180D foreground
      """),
    Trace(
      "its termination drops the queued events",
      """
      0 radio on
      1 launched a foregroundOnly -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 subscribe a #1 -> queue a #1
      3 terminated a crash -> drop a #1 R15, a notRunning crash, forget a
      4 subscribe a #2 -> drop a #2 noApp
      4 read a #3 -> refuse a #3 0E
      4 toForeground a
      4 ? state a notRunning
      """),
  ]
}
