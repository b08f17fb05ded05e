import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R9: the order of what an app hears that comes back")
struct R09OrderTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  /// An app of two managers after its end, relaunched at 2 s for a read of the second one's.
  private static func relaunched(_ app: AppID, _ other: ManagerID) -> Policy {
    var policy = Policy(rules: .newest)
    let identity = AppIdentity(name: "app", hasBackgroundMode: true, isRestorable: true)
    let fields = ["180D", "180F"].map { AdvertisementData(serviceUUIDs: [TraceWord.uuid($0)]) }
    for event: Policy.Event in [
      .radio(.on), .launched(app, identity, into: .foreground), .startAdvertising(app, fields[0]),
      .managerCreated(app, other), .startAdvertising(app, fields[1], by: other), .terminated(app, .crash),
      .request(app, EventID(rawValue: 1), .read, manager: other),
      .notice(app, EventID(rawValue: 2), .subscribe, manager: other),
    ] { _ = policy.handle(event, at: .seconds(1)) }
    let actions = policy.handle(.launched(app, identity, into: .background), at: .seconds(2))
    #expect(actions == [.restore(app), .setState(app, .background, .relaunched), .schedule(at: .seconds(12))])
    return policy
  }

  @Test("An event waits for its manager, others do not") func managers() {
    let (app, other) = (AppID(rawValue: 1), ManagerID.restorable("other"))
    var policy = Self.relaunched(app, other)
    #expect(
      policy.handle(.notice(app, EventID(rawValue: 3), .callback), at: .seconds(3))
        == [.deliver(app, EventID(rawValue: 3))])
    // Its work is not over before the manager has had its events.
    #expect(policy.handle(.finished(app), at: .seconds(4)) == [])
    #expect(
      policy.handle(.managerCreated(app, other), at: .seconds(5)).prefix(2)
        == [.deliver(app, EventID(rawValue: 1)), .deliver(app, EventID(rawValue: 2))])
    #expect(policy.advertisers.map(\.manager) == [.restorable("app"), other])
  }

  @Test("A manager that is not created in time is forgotten, with its events and its advertisement")
  func uncreated() {
    let (app, other) = (AppID(rawValue: 1), ManagerID.restorable("other"))
    var policy = Self.relaunched(app, other)
    let actions = policy.handle(.deadline, at: .seconds(12))
    #expect(
      actions.prefix(3) == [
        .refuse(app, EventID(rawValue: 1), .unlikelyError, .r9), .drop(app, EventID(rawValue: 2), .noManager),
        .forgetManager(app, other),
      ])
    #expect(policy.plan.overflow.map(\.uuid) == [TraceWord.uuid("180D")])
    #expect(policy.advertisers.map(\.manager) == [.restorable("app")])
    #expect(policy.handle(.managerCreated(app, other), at: .seconds(13)) == [])
  }

  @Test("The time of an app that is suspended before it has created them begins again with its next wake")
  func suspended() {
    let (app, other) = (AppID(rawValue: 1), ManagerID.restorable("other"))
    var policy = Self.relaunched(app, other)
    _ = policy.handle(.suspend(app), at: .seconds(3))
    #expect(policy.handle(.deadline, at: .seconds(20)) == [])
    let read = policy.handle(.request(app, EventID(rawValue: 4), .read, manager: other), at: .seconds(30))
    #expect(read.contains(.queue(app, EventID(rawValue: 4))))
    #expect(policy.handle(.managerCreated(app, other), at: .seconds(39)).contains(.deliver(app, EventID(rawValue: 4))))
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
      1 locked -> air bits 61 background
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
      1 unlocked -> air bits 61 115 background
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
