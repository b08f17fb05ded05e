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
      1 launched a foregroundOnly -> a foreground launched
      1 backgroundTaskBegan a 1
      2 toBackground a -> a background userLeft, schedule 32
      32 deadline -> a notRunning exceededLimits, terminate a exceededLimits, forget a, schedule never
      """),
    Trace(
      "an app that reports when it has finished overruns where it does not report it in time", after: .suspended,
      """
      2 subscribe a #1 -> a background wokenForNotice subscribe, deliver a #1, schedule 12
      3 finished a -> a suspended finished, schedule never
      4 subscribe a #2 -> a background wokenForNotice subscribe, deliver a #2, schedule 14
      14 deadline -> a suspended overran, schedule never
      14 ? overruns a 1
      15 read a #3 -> refuse a #3 0E R6
      """),
    Trace(
      "without a request limit a request waits for an app in the foreground", limit: nil,
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 read a #1 -> deliver a #1
      40 ? pendingRequests a 1
      40 answered a #1
      40 ? pendingRequests a 0
      """),
    Trace(
      "without a request limit a background app has its wake budget to respond", limit: nil, after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 30
      30 deadline -> refuse a #1 0E R6, a suspended overran, schedule never
      30 ? overruns a 1
      """),
    Trace(
      "a request is refused when its central disconnects, and a background app must still respond", limit: nil,
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 read a #1 -> deliver a #1
      3 requestAbandoned a #1 -> refuse a #1 0E
      3 requestAbandoned a #1
      3 ? pendingRequests a 0
      4 answered a #1
      5 suspend a -> a suspended userSuspended
      20 read a #2 -> a background wokenForRequest read, deliver a #2, schedule 30
      21 requestAbandoned a #2 -> refuse a #2 0E
      30 deadline -> a suspended overran, schedule never
      """),
    Trace(
      "in the foreground a late response costs the request only",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 read a #1 -> deliver a #1, schedule 6.5
      6.5 deadline -> refuse a #1 0E, schedule never
      6.5 ? pendingRequests a 0
      9 answered a #1
      20 toBackground a -> a background userLeft, schedule 30
      30 deadline -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "a woken app without a response is suspended when its budget expires, and not woken for 10 s", after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      24.5 deadline -> refuse a #1 0E, schedule 30
      26 read a #2 -> deliver a #2
      30 deadline -> refuse a #2 0E R6, a suspended overran, schedule never
      30 ? overruns a 1
      31 ? throttledFor a 9
      32 read a #3 -> refuse a #3 0E R6
      33 answered a #1
      39.9 write a #4 -> refuse a #4 0E R6
      40 read a #5 -> a background wokenForRequest read, deliver a #5, schedule 44.5
      40 ? throttledFor a no
      """),
    Trace(
      "events are queued while the app is throttled, and wake it afterwards", after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      30 deadline -> refuse a #1 0E, a suspended overran, schedule never
      31 callback a #2 -> queue a #2
      32 subscribe a #3 -> queue a #3, schedule 40
      33 unsubscribe a #4 -> queue a #4
      34 command a #5 -> queue a #5
      40 deadline -> a background wokenForNotice subscribe, deliver a #2, deliver a #3, deliver a #4, deliver a #5,
        schedule 50
      50 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "the third overrun in a row terminates the app", after: .advertised,
      """
      1 suspend a -> a suspended userSuspended, air bits 61 background
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      24.5 deadline -> refuse a #1 0E, schedule 30
      30 deadline -> a suspended overran, schedule never
      40 read a #2 -> a background wokenForRequest read, deliver a #2, schedule 44.5
      44.5 deadline -> refuse a #2 0E, schedule 50
      50 deadline -> a suspended overran, schedule never
      55 subscribe a #3 -> queue a #3, schedule 60
      60 deadline -> a background wokenForNotice subscribe, deliver a #3, schedule 70
      61 read a #4 -> deliver a #4, schedule 65.5
      65.5 deadline -> refuse a #4 0E, schedule 71
      70 read a #5 -> deliver a #5
      71 deadline -> refuse a #5 0E, a notRunning exceededLimits, terminate a exceededLimits, forget a, air nothing,
        schedule never
      72 read a #6 -> refuse a #6 0E
      """),
    Trace(
      "a late deadline refuses the pending requests before it terminates the app", after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      30 deadline -> refuse a #1 0E, a suspended overran, schedule never
      40 read a #2 -> a background wokenForRequest read, deliver a #2, schedule 44.5
      50 deadline -> refuse a #2 0E, a suspended overran, schedule never
      60 read a #3 -> a background wokenForRequest read, deliver a #3, schedule 64.5
      69 write a #4 -> refuse a #3 0E, deliver a #4, schedule 70
      80 deadline -> refuse a #4 0E, a notRunning exceededLimits, terminate a exceededLimits, forget a,
        schedule never
      80 answered a #4
      81 subscribe a #5 -> drop a #5 noApp
      """),
    Trace(
      "a wake without an overrun resets the count", after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      24.5 deadline -> refuse a #1 0E, schedule 30
      30 deadline -> a suspended overran, schedule never
      40 read a #2 -> a background wokenForRequest read, deliver a #2, schedule 44.5
      44.5 deadline -> refuse a #2 0E, schedule 50
      50 deadline -> a suspended overran, schedule never
      60 read a #3 -> a background wokenForRequest read, deliver a #3, schedule 64.5
      61 answered a #3 -> schedule 70
      70 deadline -> a suspended wakeBudgetExpired, schedule never
      80 read a #4 -> a background wokenForRequest read, deliver a #4, schedule 84.5
      84.5 deadline -> refuse a #4 0E, schedule 90
      90 deadline -> a suspended overran, schedule never
      90 ? overruns a 3
      """),
    Trace(
      "the foreground ends the throttling", after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      24.5 deadline -> refuse a #1 0E, schedule 30
      30 deadline -> a suspended overran, schedule never
      31 toForeground a -> a foreground userBroughtToFront
      32 suspend a -> a suspended userSuspended
      33 read a #2 -> a background wokenForRequest read, deliver a #2, schedule 37.5
      """),
    Trace(
      "moving to the foreground clears a missing response",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 12
      3 read a #1 -> deliver a #1, schedule 7.5
      7.5 deadline -> refuse a #1 0E, schedule 13
      7.5 ? pendingRequests a 1
      8 toForeground a -> a foreground userBroughtToFront, schedule never
      8 ? pendingRequests a 0
      9 toBackground a -> a background userLeft, schedule 19
      19 deadline -> a suspended gracePeriodExpired, schedule never
      """),
    Trace(
      "a request from before the move to the background has the budget from that move on",
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 read a #1 -> deliver a #1, schedule 6.5
      5 toBackground a -> a background userLeft
      6.5 deadline -> refuse a #1 0E, schedule 15
      15 deadline -> a suspended overran, schedule never
      """),
    Trace(
      "a late deadline performs every action that is due", after: .suspended,
      """
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      90 deadline -> refuse a #1 0E, a suspended overran, schedule never
      90 ? throttledFor a 10
      """),
  ]
}
