import Testing

@Suite("R8: an event for a terminated app")
struct R08RelaunchTests {
  @Test("Each event has its actions", arguments: table + loops) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "a read relaunches the app into the background for 10 s, and it may respond",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 terminated a crash -> a notRunning crash, air bits 61 background
      20 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 24.5
      20 ? relaunch a inProgress
      20 ? queueLength a 1
      21 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1
      21 ? budgetLeft a 10
      22 answered a #1 -> schedule 31
      31 deadline -> a suspended wakeBudgetExpired, schedule never
      31 ? failedRelaunches a 0
      """),
    Trace(
      "an app that did not advertise is relaunched if a central was connected when it was terminated",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 terminated a crash -> a notRunning crash
      3 centrals disconnected
      4 ? relaunch a ready
      5 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 9.5
      """),
    Trace(
      "an app that neither advertised nor had a central is relaunched by the user alone",
      """
      0 radio on
      0 centrals disconnected
      1 launched a backgroundMode restorable -> a foreground launched
      2 terminated a crash -> a notRunning crash
      3 centrals connected
      4 ? relaunch a byUser
      5 read a #1 -> refuse a #1 0E R8
      6 subscribe a #2 -> queue a #2
      7 launched a backgroundMode restorable -> restore a, a foreground launched, deliver a #2
      """),
    Trace(
      "a write relaunches it", after: .preserved,
      """
      1 write a #1 -> queue a #1, relaunch a wokenForRequest write, schedule 5.5
      2 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1
      """),
    Trace(
      "a write without response relaunches it", after: .preserved,
      """
      1 command a #1 -> queue a #1, relaunch a wokenForRequest command, schedule 11
      9 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1,
        schedule 19
      9 ? pendingRequests a 0
      19 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
    Trace(
      "a subscription and an unsubscription relaunch it", after: .preserved,
      """
      0 preserved b backgroundMode crash - 180D
      1 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 11
      1 unsubscribe b #2 -> queue b #2, relaunch b wokenForNotice unsubscribe
      2 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1
      2 launched b backgroundMode restorable into background -> restore b, b background relaunched, deliver b #2,
        schedule 12
      """),
    Trace(
      "another callback does not relaunch it and is dropped", after: .preserved,
      """
      1 callback a #1 -> drop a #1 R7
      1 ? relaunch a ready
      """),
    Trace(
      "a suspended app is resumed, not relaunched",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      """),
    Trace(
      "a request that waits for its whole limit is refused and not delivered", after: .preserved,
      """
      1 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 5.5
      2 write a #2 -> queue a #2
      5.5 deadline -> refuse a #1 0E, schedule 6.5
      6 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #2
      6.5 deadline -> refuse a #2 0E, schedule 16
      16 deadline -> a suspended overran, schedule never
      """),
    Trace(
      "a relaunch after the request's limit delivers nothing", after: .preserved,
      """
      1 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 5.5
      6 deadline -> refuse a #1 0E, schedule 11
      6 launched a backgroundMode restorable into background -> restore a, a background relaunched, schedule 16
      """),
    Trace(
      "a throttled app that is terminated is relaunched at once for its queued events",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      30 deadline -> refuse a #1 0E, a suspended overran, schedule never
      31 command a #2 -> queue a #2, schedule 40
      32 terminated a memoryPressure -> a notRunning memoryPressure, relaunch a wokenForRequest command, schedule 42
      33 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #2,
        schedule 43
      33 ? throttledFor a no
      """),
    Trace(
      "a relaunch resets the count of overruns",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 24.5
      30 deadline -> refuse a #1 0E, a suspended overran, schedule never
      40 read a #2 -> a background wokenForRequest read, deliver a #2, schedule 44.5
      50 deadline -> refuse a #2 0E, a suspended overran, schedule never
      60 terminated a crash -> a notRunning crash
      61 read a #3 -> queue a #3, relaunch a wokenForRequest read, schedule 65.5
      62 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #3
      65.5 deadline -> refuse a #3 0E, schedule 72
      72 deadline -> a suspended overran, schedule never
      72 ? overruns a 3
      """),
    Trace(
      "with the radio off queued requests are refused, notices stay queued, and no app is relaunched",
      after: .preserved,
      """
      1 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 5.5
      1 command a #2 -> queue a #2
      2 radio off -> refuse a #1 0E R14, air nothing, schedule 11
      3 read a #3 -> refuse a #3 0E R14
      4 relaunchFailed a -> schedule never
      4 unsubscribe a #4 -> queue a #4
      9 radio on -> relaunch a wokenForRequest command, air bits 61 background, schedule 19
      10 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #2,
        deliver a #4, schedule 20
      """),
    Trace(
      "an app may be launched into the background without a relaunch action",
      """
      0 radio on
      1 launched a backgroundMode restorable into background -> a background relaunched, schedule 11
      11 deadline -> a suspended wakeBudgetExpired, schedule never
      """),
  ]

  private static let loops: [Trace] = [
    Trace(
      "each failed relaunch doubles the delay, and the fifth failure is the last", after: .preserved,
      """
      0 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 10
      1 relaunchFailed a -> schedule 2
      1 ? relaunch a in1
      1 ? failedRelaunches a 1
      2 deadline -> relaunch a wokenForNotice subscribe, schedule 12
      3 relaunchFailed a -> schedule 5
      3 relaunchFailed a
      5 deadline -> relaunch a wokenForNotice subscribe, schedule 15
      6 relaunchFailed a -> schedule 10
      10 deadline -> relaunch a wokenForNotice subscribe, schedule 20
      11 relaunchFailed a -> schedule 19
      19 deadline -> relaunch a wokenForNotice subscribe, schedule 29
      20 read a #2 -> queue a #2, schedule 24.5
      21 relaunchFailed a -> refuse a #2 0E R8, giveUp a, schedule never
      21 ? relaunch a givenUp
      21 ? failedRelaunches a 5
      22 write a #3 -> refuse a #3 0E R8
      22 command a #4 -> queue a #4
      22 unsubscribe a #5 -> queue a #5
      22 ? cachedValueError a yes
      90 launched a backgroundMode restorable -> restore a, a foreground launched, deliver a #1, deliver a #4,
        deliver a #5, air 180D foreground
      90 ? failedRelaunches a 0
      91 terminated a crash -> a notRunning crash, air bits 61 background
      92 read a #6 -> queue a #6, relaunch a wokenForRequest read, schedule 96.5
      """),
    Trace(
      "a crash soon after the relaunch is a failure, and delivered events are not delivered again", after: .preserved,
      """
      0 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 4.5
      1 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1
      2 terminated a crash -> refuse a #1 0E, a notRunning crash, schedule never
      2 ? failedRelaunches a 1
      2.5 read a #2 -> queue a #2, schedule 3
      3 deadline -> relaunch a wokenForRequest read, schedule 7
      4 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #2
      5 terminated a memoryPressure -> refuse a #2 0E, a notRunning memoryPressure, schedule never
      5 ? relaunch a in2
      8 read a #3 -> queue a #3, relaunch a wokenForRequest read, schedule 12.5
      """),
    Trace(
      "a response resets the failure count", after: .preserved,
      """
      0 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 4.5
      1 relaunchFailed a -> schedule 2
      2 deadline -> relaunch a wokenForRequest read, schedule 4.5
      3 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1
      3 ? failedRelaunches a 1
      4 answered a #1 -> schedule 13
      4 ? failedRelaunches a 0
      5 terminated a crash -> a notRunning crash, schedule never
      6 read a #2 -> queue a #2, relaunch a wokenForRequest read, schedule 10.5
      """),
    Trace(
      "being suspended and moving to the foreground reset the failure count", after: .preserved,
      """
      0 preserved b backgroundMode crash - 180D
      0 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 10
      0 subscribe b #2 -> queue b #2, relaunch b wokenForNotice subscribe
      1 relaunchFailed a -> schedule 2
      1 relaunchFailed b
      2 deadline -> relaunch a wokenForNotice subscribe, relaunch b wokenForNotice subscribe, schedule 12
      3 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1
      3 launched b backgroundMode restorable into background -> restore b, b background relaunched, deliver b #2,
        schedule 13
      4 suspend a -> a suspended userSuspended
      4 ? failedRelaunches a 0
      4 toForeground b -> b foreground userBroughtToFront, air 180D bits 61 foreground, schedule never
      4 ? failedRelaunches b 0
      5 terminated b crash -> b notRunning crash, air bits 61 background
      5 ? relaunch b ready
      """),
    Trace(
      "a response to a request from before the termination does not reset the failure count", after: .preserved,
      """
      0 command a #1 -> queue a #1, relaunch a wokenForRequest command, schedule 10
      1 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1,
        schedule 11
      2 answered a #1
      3 terminated a crash -> a notRunning crash, schedule never
      3 ? failedRelaunches a 1
      """),
    Trace(
      "a relaunch times out after the launch budget, and the app may still connect later", after: .preserved,
      """
      0 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 10
      10 deadline -> schedule 11
      10 ? failedRelaunches a 1
      10.5 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1,
        schedule 20.5
      10.5 relaunchFailed a
      10.5 ? failedRelaunches a 1
      20.5 deadline -> a suspended wakeBudgetExpired, schedule never
      20.5 ? failedRelaunches a 0
      """),
    Trace(
      "a request that has timed out does not relaunch the app", after: .preserved,
      """
      0 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 4.5
      1 relaunchFailed a -> schedule 2
      2 deadline -> relaunch a wokenForRequest read, schedule 4.5
      4 relaunchFailed a
      5 deadline -> refuse a #1 0E, schedule never
      9 deadline
      9 ? relaunch a ready
      """),
    Trace(
      "the user's launch resets the failure count, and a force quit is no failure", after: .preserved,
      """
      0 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 10
      1 relaunchFailed a -> schedule 2
      1.5 launched a backgroundMode restorable into leftForeground -> restore a, a background launched,
        deliver a #1, schedule 11.5
      1.5 ? failedRelaunches a 0
      2 terminated a forceQuit -> a notRunning forceQuit, forget a, air nothing, schedule never
      """),
  ]
}
