import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R7: an app with a restoration identifier that has ended")
struct R07PreserveTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "stays, without running, and is advertised as one in the background",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 crash a -> a notRunning crash, air bits 61 background
      2 ? state a notRunning
      2 ? runs a no
      2 ? advertises a yes
      2 ? ended a crash
      2 ? relaunch a ready
      2 ? cached a yes
      """),
    Trace(
      "without an identifier it is forgotten",
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 end a memoryPressure -> a notRunning memoryPressure, forget a, air nothing
      2 ? ended a no
      2 ? cached a 0E
      2 ? advertises a no
      3 write a #1 -> refuse a #1 0E
      3 subscribe a #2 -> drop a #2 noApp
      3 failed a
      """),
    Trace(
      "what it was requested and has not answered is refused at once, and never requested again",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      2 read a #1 -> tell a #1, at 6.5
      3 write a #2 -> tell a #2
      4 crash a -> refuse a #1 0E, refuse a #2 0E, a notRunning crash, at never
      5 launch a mode keep -> restore a, a foreground launched
      6 answer a #1
      """),
    Trace(
      "what its central was refused already is not refused again",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      2 back a -> a background userLeft, at 12
      3 read a #1 -> tell a #1, at 7.5
      7.5 tick -> refuse a #1 0E, at 13
      8 end a memoryPressure -> a notRunning memoryPressure, at never
      """),
    Trace(
      "its callbacks go with it, and its subscriptions wait on",
      """
      0 radio on
      1 launch a only keep -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 call a #1 -> queue a #1
      2 subscribe a #2 -> queue a #2
      2 call a #3 -> queue a #3
      3 end a memoryPressure -> drop a #1 appEnded, drop a #3 appEnded, a notRunning memoryPressure
      3 ? waiting a 1
      4 call a #4 -> drop a #4 appEnded
      5 launch a only keep -> restore a, a foreground launched, tell a #2
      """),
    Trace(
      "what it started in the background counts at its next foreground, as before", ios: .ios18,
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 back a -> a background userLeft, air bits 61 background, at 12
      3 stop a -> air nothing
      3 start a Ada 180F -> withhold a R12
      4 crash a -> a notRunning crash, at never
      4 ? withheld a R12
      5 launch a mode keep -> restore a, a foreground launched, air Ada 180F foreground
      """),
    Trace(
      "without the mode it is silent, refused by R4, and waits for the user",
      """
      0 radio on
      1 launch a only keep error 02 disabled -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 crash a -> a notRunning crash, air nothing
      2 ? withheld a R4
      2 ? relaunch a byUser
      2 ? cached a 02
      3 read a #1 -> refuse a #1 02 R4
      3 write a #2 -> refuse a #2 02 R4
      3 command a #3 -> refuse a #3 02 R4
      4 subscribe a #4 -> queue a #4
      99 tick
      100 launch a only keep -> restore a, a foreground launched, tell a #4, air Fred 180D foreground
      """),
    Trace(
      "preserved on disk, it is gone from the start, and the order is that of the starts", splitView: true,
      """
      0 preserved b mode memoryPressure Ada L2
      0 preserved a mode crash Fred L1
      0 ? ended a crash
      0 ? ended b memoryPressure
      1 radio on -> air bits 9 18 background
      2 launch a mode keep -> restore a, a foreground launched, air Fred L1 bits 18 foreground
      3 launch b mode keep -> restore b, b foreground launched, air Ada L2 bits 9 foreground
      """),
    Trace(
      "preserved once only, and not what runs",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      2 preserved a mode crash Fred L1
      2 ? state a foreground
      2 ? advertises a no
      """),
    Trace(
      "where it is gone the user does not move it, and it asks for nothing",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      2 crash a -> a notRunning crash
      3 front a
      3 back a
      3 suspend a
      3 locked
      4 unlocked
      5 start a Fred 180D
      5 stop a
      5 answer a #1
      5 crash a
      5 end a exceededLimits
      5 ? ended a crash
      """),
    Trace(
      "a reset takes its advertisement, and it may come back",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 crash a -> a notRunning crash, air bits 61 background
      3 radio gone -> clear, air nothing
      4 radio on
      4 ? ended a crash
      5 launch a mode keep -> restore a, a foreground launched
      6 start a Fred 180D -> air Fred 180D foreground
      """),
  ]
}
