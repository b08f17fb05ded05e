import BleperaBluetooth
import Testing

@Suite("R5: an app with the mode")
struct R05WakeTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "an app that has finished is suspended at once, when it has responded",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 read a #1 -> a background woken read, tell a #1, at 6.5
      3 finish a
      4 answer a #1 -> a suspended finished, at never
      5 subscribe a #2 -> a background woken subscribe, tell a #2, at 15
      6 finish a -> a suspended finished, at never
      """),
    Trace(
      "an app whose queues are idle is suspended after the wake time, which begins again with its response",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 subscribe a #1 -> a background woken subscribe, tell a #1, at 12
      3 idle a -> at 3.5
      3.2 subscribe a #2 -> tell a #2, at 13.2
      3.3 idle a -> at 3.8
      3.8 tick -> a suspended finished, at never
      5 read a #3 -> a background woken read, tell a #3, at 9.5
      5.1 idle a
      8 answer a #3 -> at 8.5
      8.5 tick -> a suspended finished, at never
      9 subscribe a #4 -> a background woken subscribe, tell a #4, at 19
      9 begin a 1 -> at 39
      9 idle a
      15 done a 1 -> at 15.5
      15.5 tick -> a suspended finished, at never
      """),
    Trace(
      "what an app does after it has left the foreground has its own time",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 back a -> a background userLeft, at 12
      3 idle a
      12 tick -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "a background task keeps it running for 30 s, and it is suspended when the task ends",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 begin a 7
      2 back a -> a background userLeft, at 32
      20 done a 7 -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "up to iOS 12 for 180 s", ios: .ios12,
      """
      0 radio on
      1 launch a only -> a foreground launched
      1 begin a 7
      2 back a -> a background userLeft, at 182
      181 done a 7 -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "an app that has finished and has a background task runs until the task ends",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 subscribe a #1 -> a background woken subscribe, tell a #1, at 12
      3 begin a 1 -> at 32
      4 begin a 2
      5 finish a
      6 done a 1
      7 done a 2 -> a suspended finished, at never
      """),
    Trace(
      "it stays on the air when it leaves, and is suspended",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 back a -> a background userLeft, air bits 61 background, at 12
      12 tick -> a suspended gracePeriodExpired, at never
      12 ? air background
      20 front a -> a foreground userBroughtToFront, air Fred 180D foreground
      """),
    Trace(
      "a read wakes it for 10 s",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 read a #1 -> a background woken read, tell a #1, at 24.5
      21 ? budget a 9
      21 answer a #1 -> at 30
      29.9 tick
      30 tick -> a suspended wakeBudgetExpired, at never
      """),
    Trace(
      "so do a write, a subscription and its end",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 write a #1 -> a background woken write, tell a #1, at 24.5
      20 answer a #1 -> at 30
      30 tick -> a suspended wakeBudgetExpired, at never
      40 subscribe a #2 -> a background woken subscribe, tell a #2, at 50
      50 tick -> a suspended wakeBudgetExpired, at never
      60 unsubscribe a #3 -> a background woken unsubscribe, tell a #3, at 70
      70 tick -> a suspended wakeBudgetExpired, at never
      """),
    Trace(
      "so does a command, to which nobody waits for an answer",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 command a #1 -> tell a #1
      1 suspend a -> a suspended userSuspended
      20 command a #2 -> a background woken command, tell a #2, at 30
      20 ? pendingRequests a 0
      28 command a #3 -> tell a #3, at 38
      38 tick -> a suspended wakeBudgetExpired, at never
      """),
    Trace(
      "another callback does not: it waits for the next wake, and comes before what wakes",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 call a #1 -> queue a #1
      21 call a #2 -> queue a #2
      22 subscribe a #3 -> a background woken subscribe, tell a #1, tell a #2, tell a #3, at 32
      23 call a #4 -> tell a #4
      32 tick -> a suspended wakeBudgetExpired, at never
      """),
    Trace(
      "each event gives the whole time again",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 subscribe a #1 -> a background woken subscribe, tell a #1, at 30
      28 read a #2 -> tell a #2, at 32.5
      29 answer a #2 -> at 38
      36 unsubscribe a #3 -> tell a #3, at 46
      46 tick -> a suspended wakeBudgetExpired, at never
      """),
    Trace(
      "an event after it has left extends the grace",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 back a -> a background userLeft, at 12
      9 subscribe a #1 -> tell a #1, at 19
      19 tick -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "an answer that comes late but within the budget suspends it as soon as the rest is over",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 back a -> a background userLeft, at 12
      8 read a #1 -> tell a #1, at 12.5
      12.5 tick -> refuse a #1 0E, at 18
      17 answer a #1
      18 tick -> a suspended gracePeriodExpired, at never
      18 ? overruns a 0
      """),
    Trace(
      "brought to the front while awake it has no limit",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 subscribe a #1 -> a background woken subscribe, tell a #1, at 30
      21 front a -> a foreground userBroughtToFront, at never
      21 ? budget a none
      """),
    Trace(
      "an event that comes with the end of the budget wakes it again",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 suspend a -> a suspended userSuspended
      20 subscribe a #1 -> a background woken subscribe, tell a #1, at 30
      30 subscribe a #2 -> a suspended wakeBudgetExpired, a background woken subscribe, tell a #2, at 40
      """),
    Trace(
      "launched as one that has left, what it starts counts as started in front",
      """
      0 radio on
      1 launch a mode left -> a inactive launched, at 11
      1 ? runs a yes
      2 start a Fred 180D -> a background launchFinished, air bits 61 background, at 12
      2 ? withheld a no
      12 tick -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "the launch waits for the radio, and ends without an advertisement too",
      """
      0 launch a mode left -> a inactive launched
      60 radio on -> at 70
      70 tick -> a background launchFinished, at 80
      75 start a Fred 180D -> air bits 61 background
      80 tick -> a suspended gracePeriodExpired, at never
      """),
    Trace(
      "a launch that is brought to the front is a launch into the foreground",
      """
      0 radio on
      1 launch a mode left -> a inactive launched, at 11
      2 front a -> a foreground userBroughtToFront, at never
      3 back a -> a background userLeft, at 13
      4 start a Fred 180D -> withhold a R12
      """),
  ]
}
