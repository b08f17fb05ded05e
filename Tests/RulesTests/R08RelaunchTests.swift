import Testing

@Suite("R8: an app that is gone and has an event")
struct R08RelaunchTests {
  @Test("Each event has its actions", arguments: table + loops) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "a read relaunches it into the background for 10 s, and it may answer",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 crash a -> a notRunning crash, air bits 61 background
      20 read a #1 -> queue a #1, relaunch a woken read, at 24.5
      20 ? relaunch a inProgress
      20 ? waiting a 1
      21 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1
      21 ? budget a 10
      22 answer a #1 -> at 31
      31 tick -> a suspended wakeBudgetExpired, at never
      31 ? failed a 0
      """),
    Trace(
      "one that did not advertise is relaunched where a central was connected, whether the central stays or not",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      2 crash a -> a notRunning crash
      3 centrals gone
      4 ? relaunch a ready
      5 read a #1 -> queue a #1, relaunch a woken read, at 9.5
      """),
    Trace(
      "one that neither advertised nor had a central is relaunched by the user alone",
      """
      0 radio on
      0 centrals gone
      1 launch a mode keep -> a foreground launched
      2 crash a -> a notRunning crash
      3 centrals connected
      4 ? relaunch a byUser
      5 read a #1 -> refuse a #1 0E R8
      6 subscribe a #2 -> queue a #2
      7 launch a mode keep -> restore a, a foreground launched, tell a #2
      """),
    Trace(
      "so does a write",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 write a #1 -> queue a #1, relaunch a woken write, at 5.5
      2 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1
      """),
    Trace(
      "so does a command, which nobody waits for",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 command a #1 -> queue a #1, relaunch a woken command, at 11
      9 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1, at 19
      9 ? pendingRequests a 0
      19 tick -> a suspended wakeBudgetExpired, at never
      """),
    Trace(
      "so do a subscription and its end",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 preserved b mode crash - 180D
      1 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 11
      1 unsubscribe b #2 -> queue b #2, relaunch b woken unsubscribe
      2 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1
      2 launch b mode keep relaunched -> restore b, b background relaunched, tell b #2, at 12
      """),
    Trace(
      "another callback does not, and is not told",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 call a #1 -> drop a #1 appEnded
      1 ? relaunch a ready
      """),
    Trace(
      "a suspended app is resumed, not relaunched",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      """),
    Trace(
      "a request waits no longer than its limit from when it came, and is not told then",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 read a #1 -> queue a #1, relaunch a woken read, at 5.5
      2 write a #2 -> queue a #2
      5.5 tick -> refuse a #1 0E, at 6.5
      6 launch a mode keep relaunched -> restore a, a background relaunched, tell a #2
      6.5 tick -> refuse a #2 0E, at 16
      16 tick -> a suspended overran, at never
      """),
    Trace(
      "a relaunch that comes after the limit finds nothing",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 read a #1 -> queue a #1, relaunch a woken read, at 5.5
      6 tick -> refuse a #1 0E, at 11
      6 launch a mode keep relaunched -> restore a, a background relaunched, at 16
      """),
    Trace(
      "an app that was throttled is relaunched at once for what waits",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      30 tick -> refuse a #1 0E, a suspended overran, at never
      31 command a #2 -> queue a #2, at 40
      32 end a memoryPressure -> a notRunning memoryPressure, relaunch a woken command, at 42
      33 launch a mode keep relaunched -> restore a, a background relaunched, tell a #2, at 43
      33 ? throttled a no
      """),
    Trace(
      "its overruns are counted anew",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      30 tick -> refuse a #1 0E, a suspended overran, at never
      40 read a #2 -> a background woken read, tell a #2, at 44.5
      50 tick -> refuse a #2 0E, a suspended overran, at never
      60 crash a -> a notRunning crash
      61 read a #3 -> queue a #3, relaunch a woken read, at 65.5
      62 launch a mode keep relaunched -> restore a, a background relaunched, tell a #3
      65.5 tick -> refuse a #3 0E, at 72
      72 tick -> a suspended overran, at never
      72 ? overruns a 3
      """),
    Trace(
      "with the radio off what waits is refused, events wait, and nobody is relaunched",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 read a #1 -> queue a #1, relaunch a woken read, at 5.5
      1 command a #2 -> queue a #2
      2 radio off -> refuse a #1 0E R14, air nothing, at 11
      3 read a #3 -> refuse a #3 0E R14
      4 failed a -> at never
      4 unsubscribe a #4 -> queue a #4
      9 radio on -> relaunch a woken command, air bits 61 background, at 19
      10 launch a mode keep relaunched -> restore a, a background relaunched, tell a #2, tell a #4, at 20
      """),
    Trace(
      "one that nobody has requested for is launched into the background all the same",
      """
      0 radio on
      1 launch a mode keep relaunched -> a background relaunched, at 11
      11 tick -> a suspended wakeBudgetExpired, at never
      """),
  ]

  private static let loops: [Trace] = [
    Trace(
      "relaunches that fail come later each time, and the fifth is the last",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 10
      1 failed a -> at 2
      1 ? relaunch a in1
      1 ? failed a 1
      2 tick -> relaunch a woken subscribe, at 12
      3 failed a -> at 5
      3 failed a
      5 tick -> relaunch a woken subscribe, at 15
      6 failed a -> at 10
      10 tick -> relaunch a woken subscribe, at 20
      11 failed a -> at 19
      19 tick -> relaunch a woken subscribe, at 29
      20 read a #2 -> queue a #2, at 24.5
      21 failed a -> refuse a #2 0E R8, give up a, at never
      21 ? relaunch a givenUp
      21 ? failed a 5
      22 write a #3 -> refuse a #3 0E R8
      22 command a #4 -> queue a #4
      22 unsubscribe a #5 -> queue a #5
      22 ? cached a yes
      90 launch a mode keep -> restore a, a foreground launched, tell a #1, tell a #4, tell a #5, air 180D foreground
      90 ? failed a 0
      91 crash a -> a notRunning crash, air bits 61 background
      92 read a #6 -> queue a #6, relaunch a woken read, at 96.5
      """),
    Trace(
      "a crash soon after fails too, and what it was given is not given again",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 read a #1 -> queue a #1, relaunch a woken read, at 4.5
      1 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1
      2 crash a -> refuse a #1 0E, a notRunning crash, at never
      2 ? failed a 1
      2.5 read a #2 -> queue a #2, at 3
      3 tick -> relaunch a woken read, at 7
      4 launch a mode keep relaunched -> restore a, a background relaunched, tell a #2
      5 end a memoryPressure -> refuse a #2 0E, a notRunning memoryPressure, at never
      5 ? relaunch a in2
      8 read a #3 -> queue a #3, relaunch a woken read, at 12.5
      """),
    Trace(
      "an answer ends the count",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 read a #1 -> queue a #1, relaunch a woken read, at 4.5
      1 failed a -> at 2
      2 tick -> relaunch a woken read, at 4.5
      3 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1
      3 ? failed a 1
      4 answer a #1 -> at 13
      4 ? failed a 0
      5 crash a -> a notRunning crash, at never
      6 read a #2 -> queue a #2, relaunch a woken read, at 10.5
      """),
    Trace(
      "so do being suspended and the foreground",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 preserved b mode crash - 180D
      0 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 10
      0 subscribe b #2 -> queue b #2, relaunch b woken subscribe
      1 failed a -> at 2
      1 failed b
      2 tick -> relaunch a woken subscribe, relaunch b woken subscribe, at 12
      3 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1
      3 launch b mode keep relaunched -> restore b, b background relaunched, tell b #2, at 13
      4 suspend a -> a suspended userSuspended
      4 ? failed a 0
      4 front b -> b foreground userBroughtToFront, air 180D bits 61 foreground, at never
      4 ? failed b 0
      5 crash b -> b notRunning crash, air bits 61 background
      5 ? relaunch b ready
      """),
    Trace(
      "an answer to a request from before does not",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 command a #1 -> queue a #1, relaunch a woken command, at 10
      1 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1, at 11
      2 answer a #1
      3 crash a -> a notRunning crash, at never
      3 ? failed a 1
      """),
    Trace(
      "one that says nothing within its launch fails, and may come later all the same",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 10
      10 tick -> at 11
      10 ? failed a 1
      10.5 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1, at 20.5
      10.5 failed a
      10.5 ? failed a 1
      20.5 tick -> a suspended wakeBudgetExpired, at never
      20.5 ? failed a 0
      """),
    Trace(
      "requests that have given up waiting relaunch nobody",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 read a #1 -> queue a #1, relaunch a woken read, at 4.5
      1 failed a -> at 2
      2 tick -> relaunch a woken read, at 4.5
      4 failed a
      5 tick -> refuse a #1 0E, at never
      9 tick
      9 ? relaunch a ready
      """),
    Trace(
      "the user's launch ends the count, and a force quit is no failure",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 10
      1 failed a -> at 2
      1.5 launch a mode keep left -> restore a, a background launched, tell a #1, at 11.5
      1.5 ? failed a 0
      2 end a forceQuit -> a notRunning forceQuit, forget a, air nothing, at never
      """),
  ]
}
