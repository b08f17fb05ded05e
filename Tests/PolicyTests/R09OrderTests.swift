import Testing

@Suite("R9: the order of what an app hears that comes back")
struct R09OrderTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "its state, what it had, and all that has waited, as it came",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 11
      2 read a #2 -> queue a #2, at 6.5
      2 command a #3 -> queue a #3
      2 unsubscribe a #4 -> queue a #4
      3 write a #5 -> queue a #5
      4 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1, tell a #2, tell a #3, tell a #4, tell a #5
      4 ? pendingRequests a 2
      5 call a #6 -> tell a #6
      """),
    Trace(
      "the user's launch restores too",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 read a #1 -> queue a #1, relaunch a woken read, at 5.5
      2 launch a mode keep -> restore a, a foreground launched, tell a #1, air 180D foreground
      2 launch a mode keep relaunched
      3 failed a
      """),
    Trace(
      "behind a screen that is off as well, in the background",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 locked
      2 launch a mode keep -> restore a, a background launched, at 12
      3 unlocked -> a foreground screenUnlocked, air 180D foreground, at never
      """),
    Trace(
      "launched as one that has left, it has left already where it advertises",
      """
      0 radio on
      0 preserved a mode crash Fred 180D -> air bits 61 background
      1 launch a mode keep left -> restore a, a background launched, at 11
      2 stop a -> air nothing
      3 start a Fred 180F -> withhold a R12
      """),
    Trace(
      "where it does not advertise it may start, as one in front",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      2 crash a -> a notRunning crash
      3 launch a mode keep left -> restore a, a inactive launched, at 13
      4 start a Fred 180D -> a background launchFinished, air bits 61 background, at 14
      """),
    Trace(
      "relaunched, what it starts waits for the foreground",
      """
      0 radio on
      1 launch a mode keep left -> a inactive launched, at 11
      2 crash a -> a notRunning crash, at never
      3 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 13
      4 launch a mode keep relaunched -> restore a, a background relaunched, tell a #1, at 14
      5 start a Fred 180D -> withhold a R12
      """),
    Trace(
      "an app with nothing to restore is not restored",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      2 end a forceQuit -> a notRunning forceQuit, forget a
      3 launch a mode keep -> a foreground launched
      """),
    Trace(
      "it comes back as it now describes itself",
      """
      0 radio on
      0 preserved a mode crash Fred 180D -> air bits 61 background
      1 launch a only error 05 keep -> restore a, a foreground launched, air Fred 180D foreground
      2 suspend a -> a suspended userSuspended, air nothing
      3 read a #1 -> refuse a #1 05 R4
      """),
    Trace(
      "a process that has outlived the phone's stays suspended, until an event wakes it",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 resume a mode keep relaunched suspended -> restore a, a suspended phoneRestarted
      2 read a #1 -> a background woken read, tell a #1, at 6.5
      """),
    Trace(
      "it is awake where such an event has waited for it",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 11
      2 resume a mode keep relaunched suspended -> restore a, a background phoneRestarted, tell a #1, at 12
      """),
    Trace(
      "it is awake where it publishes again",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 resume a mode keep left suspended -> restore a, a background launched, at 11
      """),
    Trace(
      "behind a screen that is off it returns to the front with the screen",
      """
      0 radio on
      0 off
      0 preserved a mode crash - 180D -> air bits 61 background
      1 resume a mode keep relaunched suspended front -> restore a, a suspended phoneRestarted
      2 unlocked -> a foreground screenUnlocked, air 180D foreground
      """),
    Trace(
      "where the screen is on by then it is in front, unless another app is",
      """
      0 radio on
      0 off
      0 preserved a mode crash - 180D -> air bits 61 background
      0 preserved b mode crash - 180F -> air bits 61 115 background
      1 unlocked
      2 resume a mode keep relaunched suspended front -> restore a, a foreground launched, air 180D bits 115 foreground
      3 resume b mode keep relaunched suspended front -> restore b, b suspended phoneRestarted
      """),
    Trace(
      "before the first unlock after a reboot nothing is on the air",
      """
      0 radio on
      0 off unlock
      0 preserved a mode crash - 180D
      1 unlocked -> air bits 61 background
      """),
  ]
}
