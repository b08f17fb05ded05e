import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R7: a terminated app with a restoration identifier")
struct R07PreserveTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  @Test("What is queued for a manager that is not preserved ends with the app") func queueOfManager() {
    var policy = Policy(rules: .newest)
    let (app, lasting) = (AppID(rawValue: 1), ManagerID(.peripheral, .restorable("lasting")))
    var identity = AppIdentity(name: "app", hasBackgroundMode: false)
    identity.backgroundModes = []
    let events: [Policy.Event] = [
      .radio(.on), .launched(app, identity, into: .foreground), .managerCreated(app, .only),
      .managerCreated(app, lasting), .suspend(app),
      .notice(app, EventID(rawValue: 1), .subscribe), .notice(app, EventID(rawValue: 2), .subscribe, manager: lasting),
    ]
    for event in events { _ = policy.handle(event, at: .seconds(1)) }
    let actions = policy.handle(.terminated(app, .memoryPressure), at: .seconds(2))
    #expect(actions.contains(.drop(app, EventID(rawValue: 1), .appEnded(.r7))))
    #expect(!actions.contains(.drop(app, EventID(rawValue: 2), .appEnded(.r7))))
  }

  private static let table: [Trace] = [
    Trace(
      "the app is preserved and advertised as in the background",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 terminated a crash -> a notRunning crash, air bits 61 background
      2 ? state a notRunning
      2 ? isRunning a no
      2 ? isAdvertising a yes
      2 ? terminationCause a crash
      2 ? relaunch a ready
      2 ? cachedValueError a yes
      """),
    Trace(
      "without a restoration identifier it is forgotten", after: .advertised,
      """
      2 terminated a memoryPressure -> a notRunning memoryPressure, forget a, air nothing
      2 ? terminationCause a no
      2 ? cachedValueError a 0E
      2 ? isAdvertising a no
      3 write a #1 -> refuse a #1 0E
      3 subscribe a #2 -> drop a #2 noApp
      3 relaunchFailed a
      """),
    Trace(
      "its pending requests are refused at once and never delivered again",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 read a #1 -> deliver a #1, schedule 6.5
      3 write a #2 -> deliver a #2
      4 terminated a crash -> refuse a #1 0E, refuse a #2 0E, a notRunning crash, schedule never
      5 launched a backgroundMode restorable -> restore a, a foreground launched
      6 answered a #1
      """),
    Trace(
      "a request that was refused already is not refused again",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 12
      3 read a #1 -> deliver a #1, schedule 7.5
      7.5 deadline -> refuse a #1 0E, schedule 13
      8 terminated a memoryPressure -> a notRunning memoryPressure, schedule never
      """),
    Trace(
      "queued callbacks are dropped, and queued subscriptions are kept",
      """
      0 radio on
      1 launched a foregroundOnly restorable -> a foreground launched
      1 suspend a -> a suspended userSuspended
      2 callback a #1 -> queue a #1
      2 subscribe a #2 -> queue a #2
      2 callback a #3 -> queue a #3
      3 terminated a memoryPressure -> drop a #1 R7, drop a #3 R7, a notRunning memoryPressure
      3 ? queueLength a 1
      4 callback a #4 -> drop a #4 R7
      5 launched a foregroundOnly restorable -> restore a, a foreground launched, deliver a #2
      """),
    Trace(
      "advertising that it started in the background begins at its next foreground, as without a termination",
      ios: .ios18,
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 toBackground a -> a background userLeft, air bits 61 background, schedule 12
      3 stopAdvertising a -> air nothing
      3 startAdvertising a Ada 180F -> withholdAdvertising a R12
      4 terminated a crash -> a notRunning crash, schedule never
      4 ? advertisingWithheldBy a R12
      5 launched a backgroundMode restorable -> restore a, a foreground launched, air Ada 180F foreground
      """),
    Trace(
      "without the background mode it is not advertised, its requests are refused (R4), and only the user launches it",
      """
      0 radio on
      1 launched a foregroundOnly restorable suspendedError 02 disablesCachedValues -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 terminated a crash -> a notRunning crash, air nothing
      2 ? advertisingWithheldBy a R4
      2 ? relaunch a byUser
      2 ? cachedValueError a 02
      3 read a #1 -> refuse a #1 02 R4
      3 write a #2 -> refuse a #2 02 R4
      3 command a #3 -> refuse a #3 02 R4
      4 subscribe a #4 -> queue a #4
      99 deadline
      100 launched a foregroundOnly restorable -> restore a, a foreground launched, deliver a #4,
        air Fred 180D foreground
      """),
    Trace(
      "apps that were preserved on disk are advertised in the order of their starts", splitView: true,
      """
      0 preserved b backgroundMode memoryPressure Ada L2
      0 preserved a backgroundMode crash Fred L1
      0 ? terminationCause a crash
      0 ? terminationCause b memoryPressure
      1 radio on -> air bits 9 18 background
      2 launched a backgroundMode restorable -> restore a, a foreground launched, air Fred L1 bits 18 foreground
      3 launched b backgroundMode restorable -> restore b, b foreground launched, air Ada L2 bits 9 foreground
      """),
    Trace(
      "an app is preserved only once, and not while it runs",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 preserved a backgroundMode crash Fred L1
      2 ? state a foreground
      2 ? isAdvertising a no
      """),
    Trace(
      "a terminated app neither changes its state nor its advertising",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 terminated a crash -> a notRunning crash
      3 toForeground a
      3 toBackground a
      3 suspend a
      3 locked
      4 unlocked
      5 startAdvertising a Fred 180D
      5 stopAdvertising a
      5 answered a #1
      5 terminated a crash
      5 terminated a exceededLimits
      5 ? terminationCause a crash
      """),
    Trace(
      "a reset of the radio clears its advertisement, and it can be relaunched",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 terminated a crash -> a notRunning crash, air bits 61 background
      3 radio unavailable -> clearDatabase, air nothing
      4 radio on
      4 ? terminationCause a crash
      5 launched a backgroundMode restorable -> restore a, a foreground launched
      6 startAdvertising a Fred 180D -> air Fred 180D foreground
      """),
  ]
}
