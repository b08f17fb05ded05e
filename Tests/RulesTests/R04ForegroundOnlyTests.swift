import Testing

@Suite("R4: an app without the mode")
struct R04ForegroundOnlyTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "in the foreground it is advertised, told, and never suspended",
      """
      0 radio on
      1 launch a only -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 read a #1 -> tell a #1, at 6.5
      3 answer a #1 -> at never
      9 subscribe a #2 -> tell a #2
      9 ? deadline never
      """),
    Trace(
      "it is off the air when it leaves, suspended 5 s later, and back with the user",
      """
      0 radio on
      1 launch a only -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 back a -> a background userLeft, air nothing, at 7
      2 ? withheld a R4
      3 ? budget a 4
      6.9 tick
      7 tick -> a suspended gracePeriodExpired, at never
      9 front a -> a foreground userBroughtToFront, air Fred 180D foreground
      9 ? withheld a no
      """),
    Trace(
      "from the moment it moves to the background its requests are refused, and its events arrive",
      """
      0 radio on
      1 launch a only -> a foreground launched
      2 back a -> a background userLeft, at 7
      2 read a #1 -> refuse a #1 0E R4
      3 write a #3 -> refuse a #3 0E R4
      3 command a #4 -> refuse a #4 0E R4
      6.6 subscribe a #2 -> tell a #2
      7 tick -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "what it has not answered by then is refused, and is no overstay",
      """
      0 radio on
      1 launch a only error 02 -> a foreground launched
      5 read a #1 -> tell a #1, at 9.5
      6 suspend a -> refuse a #1 02 R4, a suspended userSuspended, at never
      8 answer a #1
      8 ? overruns a 0
      """),
    Trace(
      "suspended, it is not woken: requests are refused, events wait in order",
      """
      0 radio on
      1 launch a only -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 read a #1 -> refuse a #1 0E R4
      3 write a #2 -> refuse a #2 0E R4
      3 command a #7 -> refuse a #7 0E R4
      4 subscribe a #3 -> queue a #3
      5 call a #4 -> queue a #4
      6 unsubscribe a #5 -> queue a #5
      6 ? waiting a 3
      6 ? runs a no
      60 front a -> a foreground userBroughtToFront, tell a #3, tell a #4, tell a #5
      60 ? waiting a 0
      61 read a #6 -> tell a #6, at 65.5
      """),
    Trace(
      "the error is the profile's",
      """
      0 radio on
      1 launch a only error 05 -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 read a #1 -> refuse a #1 05 R4
      """),
    Trace(
      "what it starts after it has left is advertised at the next foreground",
      """
      0 radio on
      1 launch a only -> a foreground launched
      2 back a -> a background userLeft, at 7
      3 start a Fred 180D -> withhold a R4
      4 front a -> a foreground userBroughtToFront, air Fred 180D foreground, at never
      """),
    Trace(
      "launched as one that has left, it is never on the air",
      """
      0 radio on
      1 launch a only left -> a inactive launched, at 11
      2 start a Fred 180D -> a background launchFinished, withhold a R4, at 7
      7 tick -> a suspended gracePeriodExpired, at never
      9 front a -> a foreground userBroughtToFront, air Fred 180D foreground
      """),
    Trace(
      "its end drops what waits",
      """
      0 radio on
      1 launch a only -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 subscribe a #1 -> queue a #1
      3 crash a -> drop a #1 appEnded, a notRunning crash, forget a
      4 subscribe a #2 -> drop a #2 noApp
      4 read a #3 -> refuse a #3 0E
      4 front a
      4 ? state a notRunning
      """),
  ]
}
