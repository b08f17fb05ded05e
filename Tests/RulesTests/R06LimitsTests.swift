import Testing

@Suite("R6: an app that takes too long")
struct R06LimitsTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "an app that does not end its background task is terminated",
      """
      0 radio on
      1 launch a only -> a foreground launched
      1 begin a 1
      2 back a -> a background userLeft, at 32
      32 tick -> a notRunning exceededLimits, terminate a exceededLimits, forget a, at never
      """),
    Trace(
      "one that reports when it has finished exceeds its time where it has not",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 subscribe a #1 -> a background woken subscribe, tell a #1, at 12
      3 finish a -> a suspended finished, at never
      4 subscribe a #2 -> a background woken subscribe, tell a #2, at 14
      14 tick -> a suspended overran, at never
      14 ? overruns a 1
      15 read a #3 -> refuse a #3 0E R6
      """),
    Trace(
      "without a limit a request waits for the app in the foreground", limit: nil,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 read a #1 -> tell a #1
      40 ? pendingRequests a 1
      40 answer a #1
      40 ? pendingRequests a 0
      """),
    Trace(
      "without a limit a background app has the time of its budget", limit: nil,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 30
      30 tick -> refuse a #1 0E R6, a suspended overran, at never
      30 ? overruns a 1
      """),
    Trace(
      "a request ends with its central, and a background app must still respond", limit: nil,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 read a #1 -> tell a #1
      3 abandon a #1 -> refuse a #1 0E
      3 abandon a #1
      3 ? pendingRequests a 0
      4 answer a #1
      5 suspend a -> a suspended userSuspended
      20 read a #2 -> a background woken read, tell a #2, at 30
      21 abandon a #2 -> refuse a #2 0E
      30 tick -> a suspended overran, at never
      """),
    Trace(
      "in the foreground its central is refused, and that is all",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 read a #1 -> tell a #1, at 6.5
      6.5 tick -> refuse a #1 0E, at never
      6.5 ? pendingRequests a 0
      9 answer a #1
      20 back a -> a background userLeft, at 30
      30 tick -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "woken, it is cut off when its budget ends, and not woken for 10 s",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      24.5 tick -> refuse a #1 0E, at 30
      26 read a #2 -> tell a #2
      30 tick -> refuse a #2 0E R6, a suspended overran, at never
      30 ? overruns a 1
      31 ? throttled a 9
      32 read a #3 -> refuse a #3 0E R6
      33 answer a #1
      39.9 write a #4 -> refuse a #4 0E R6
      40 read a #5 -> a background woken read, tell a #5, at 44.5
      40 ? throttled a no
      """),
    Trace(
      "events wait while it is throttled, and wake it then",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      30 tick -> refuse a #1 0E, a suspended overran, at never
      31 call a #2 -> queue a #2
      32 subscribe a #3 -> queue a #3, at 40
      33 unsubscribe a #4 -> queue a #4
      34 command a #5 -> queue a #5
      40 tick -> a background woken subscribe, tell a #2, tell a #3, tell a #4, tell a #5, at 50
      50 tick -> a suspended wakeBudgetExpired, at never
      """),
    Trace(
      "the third overstay in a row ends it",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      1 suspend a -> a suspended userSuspended, air bits 61 background
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      24.5 tick -> refuse a #1 0E, at 30
      30 tick -> a suspended overran, at never
      40 read a #2 -> a background woken read, tell a #2, at 44.5
      44.5 tick -> refuse a #2 0E, at 50
      50 tick -> a suspended overran, at never
      55 subscribe a #3 -> queue a #3, at 60
      60 tick -> a background woken subscribe, tell a #3, at 70
      61 read a #4 -> tell a #4, at 65.5
      65.5 tick -> refuse a #4 0E, at 71
      70 read a #5 -> tell a #5
      71 tick -> refuse a #5 0E, a notRunning exceededLimits, terminate a exceededLimits, forget a, air nothing, at never
      72 read a #6 -> refuse a #6 0E
      """),
    Trace(
      "a deadline that comes late refuses what R6 has left, and ends it after all that",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      30 tick -> refuse a #1 0E, a suspended overran, at never
      40 read a #2 -> a background woken read, tell a #2, at 44.5
      50 tick -> refuse a #2 0E, a suspended overran, at never
      60 read a #3 -> a background woken read, tell a #3, at 64.5
      69 write a #4 -> refuse a #3 0E, tell a #4, at 70
      80 tick -> refuse a #4 0E, a notRunning exceededLimits, terminate a exceededLimits, forget a, at never
      80 answer a #4
      81 subscribe a #5 -> drop a #5 noApp
      """),
    Trace(
      "a wake that ends in time starts the count again",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      24.5 tick -> refuse a #1 0E, at 30
      30 tick -> a suspended overran, at never
      40 read a #2 -> a background woken read, tell a #2, at 44.5
      44.5 tick -> refuse a #2 0E, at 50
      50 tick -> a suspended overran, at never
      60 read a #3 -> a background woken read, tell a #3, at 64.5
      61 answer a #3 -> at 70
      70 tick -> a suspended wakeBudgetExpired, at never
      80 read a #4 -> a background woken read, tell a #4, at 84.5
      84.5 tick -> refuse a #4 0E, at 90
      90 tick -> a suspended overran, at never
      90 ? overruns a 3
      """),
    Trace(
      "the foreground ends the throttling",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      24.5 tick -> refuse a #1 0E, at 30
      30 tick -> a suspended overran, at never
      31 front a -> a foreground userBroughtToFront
      32 suspend a -> a suspended userSuspended
      33 read a #2 -> a background woken read, tell a #2, at 37.5
      """),
    Trace(
      "the foreground forgives an answer that is owed",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 back a -> a background userLeft, at 12
      3 read a #1 -> tell a #1, at 7.5
      7.5 tick -> refuse a #1 0E, at 13
      7.5 ? pendingRequests a 1
      8 front a -> a foreground userBroughtToFront, at never
      8 ? pendingRequests a 0
      9 back a -> a background userLeft, at 19
      19 tick -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "a request from before it left has the budget from then on",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 read a #1 -> tell a #1, at 6.5
      5 back a -> a background userLeft
      6.5 tick -> refuse a #1 0E, at 15
      15 tick -> a suspended overran, at never
      """),
    Trace(
      "a deadline that comes late does all that is due",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      90 tick -> refuse a #1 0E, a suspended overran, at never
      90 ? throttled a 10
      """),
  ]
}
