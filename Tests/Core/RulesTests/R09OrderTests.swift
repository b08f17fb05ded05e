import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R9: the order of the callbacks of a relaunched app")
struct R09OrderTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let first = ManagerID(.peripheral, .restorable("app"))

  /// An app of two managers after its end, relaunched at 2 s for a read of the second one's.
  private static func relaunched(_ app: AppID, _ other: ManagerID) -> Policy {
    var policy = Policy(rules: .newest)
    let identity = AppIdentity(name: "app", hasBackgroundMode: true, isRestorable: true)
    let fields = ["180D", "180F"].map { AdvertisementData(serviceUUIDs: [TraceWord.uuid($0)]) }
    for event: Policy.Event in [
      .radio(.on), .launched(app, identity, into: .foreground), .managerCreated(app, identity.manager),
      .startAdvertising(app, fields[0], by: identity.manager), .managerCreated(app, other),
      .startAdvertising(app, fields[1], by: other), .terminated(app, .crash),
      .request(app, EventID(rawValue: 1), .read, manager: other),
      .notice(app, EventID(rawValue: 2), .subscribe, manager: other),
    ] { _ = policy.handle(event, at: .seconds(1)) }
    let actions = policy.launch(app, identity, into: .background, at: .seconds(2))
    #expect(actions == [.restore(app), .setState(app, .background, .relaunched), .schedule(at: .seconds(12))])
    return policy
  }

  @Test("An event waits until the app has created its manager, other events do not") func managers() {
    let (app, other) = (AppID(rawValue: 1), ManagerID(.peripheral, .restorable("other")))
    var policy = Self.relaunched(app, other)
    #expect(
      policy.handle(.notice(app, EventID(rawValue: 3), .callback, manager: Self.first), at: .seconds(3))
        == [.deliver(app, EventID(rawValue: 3))])
    // The app's work is not over before the manager has had its events.
    #expect(policy.handle(.finished(app), at: .seconds(4)) == [])
    #expect(
      policy.handle(.managerCreated(app, other), at: .seconds(5)).prefix(2)
        == [.deliver(app, EventID(rawValue: 1)), .deliver(app, EventID(rawValue: 2))])
    #expect(policy.advertisers.map(\.manager) == [Self.first, other])
  }

  @Test("A manager that is not created in time is forgotten, with its events and its advertisement")
  func uncreated() {
    let (app, other) = (AppID(rawValue: 1), ManagerID(.peripheral, .restorable("other")))
    var policy = Self.relaunched(app, other)
    let actions = policy.handle(.deadline, at: .seconds(12))
    #expect(
      actions.prefix(3) == [
        .refuse(app, EventID(rawValue: 1), .unlikelyError, .r9), .drop(app, EventID(rawValue: 2), .noManager),
        .forgetManager(app, other),
      ])
    #expect(policy.plan.overflow.map(\.uuid) == [TraceWord.uuid("180D")])
    #expect(policy.advertisers.map(\.manager) == [Self.first])
    #expect(policy.handle(.managerCreated(app, other), at: .seconds(13)) == [])
  }

  @Test("An app that is suspended before it has created its managers has the whole time again after its next wake")
  func suspended() {
    let (app, other) = (AppID(rawValue: 1), ManagerID(.peripheral, .restorable("other")))
    var policy = Self.relaunched(app, other)
    _ = policy.handle(.suspend(app), at: .seconds(3))
    #expect(policy.handle(.deadline, at: .seconds(20)) == [])
    let read = policy.handle(.request(app, EventID(rawValue: 4), .read, manager: other), at: .seconds(30))
    #expect(read.contains(.queue(app, EventID(rawValue: 4))))
    #expect(policy.handle(.managerCreated(app, other), at: .seconds(39)).contains(.deliver(app, EventID(rawValue: 4))))
  }

  private static let table: [Trace] = [
    Trace(
      "the restored state comes first, then the app's state, then the queued events in order of arrival",
      after: .preserved,
      """
      1 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 11
      2 read a #2 -> queue a #2, schedule 6.5
      2 command a #3 -> queue a #3
      2 unsubscribe a #4 -> queue a #4
      3 write a #5 -> queue a #5
      4 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1,
        deliver a #2, deliver a #3, deliver a #4, deliver a #5
      4 ? pendingRequests a 2
      5 callback a #6 -> deliver a #6
      """),
    Trace(
      "a launch by the user restores, too", after: .preserved,
      """
      1 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 5.5
      2 launched a backgroundMode restorable -> restore a, a foreground launched, deliver a #1, air 180D foreground
      2 launched a backgroundMode restorable into background
      3 relaunchFailed a
      """),
    Trace(
      "a launch by the user while the screen is off restores into the background", after: .preserved,
      """
      1 locked -> air bits 61 background
      2 launched a backgroundMode restorable -> restore a, a background launched, schedule 12
      3 unlocked -> a foreground screenUnlocked, air 180D foreground, schedule never
      """),
    Trace(
      "launched as an app that has left the foreground, a restored advertiser moves to the background at once",
      """
      0 radio on
      0 preserved a backgroundMode crash Fred 180D -> air bits 61 background
      1 launched a backgroundMode restorable into leftForeground -> restore a, a background launched, schedule 11
      2 stopAdvertising a -> air nothing
      3 startAdvertising a Fred 180F -> withholdAdvertising a R12
      """),
    Trace(
      "launched as an app that has left the foreground, an app that does not advertise may start as in the foreground",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 terminated a crash -> a notRunning crash
      3 launched a backgroundMode restorable into leftForeground -> restore a, a inactive launched, schedule 13
      4 startAdvertising a Fred 180D -> a background launchFinished, air bits 61 background, schedule 14
      """),
    Trace(
      "advertising that a relaunched app starts waits for its next foreground",
      """
      0 radio on
      1 launched a backgroundMode restorable into leftForeground -> a inactive launched, schedule 11
      2 terminated a crash -> a notRunning crash, schedule never
      3 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 13
      4 launched a backgroundMode restorable into background -> restore a, a background relaunched, deliver a #1,
        schedule 14
      5 startAdvertising a Fred 180D -> withholdAdvertising a R12
      """),
    Trace(
      "an app without preserved state is not restored",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      2 terminated a forceQuit -> a notRunning forceQuit, forget a
      3 launched a backgroundMode restorable -> a foreground launched
      """),
    Trace(
      "a relaunched app has the identity with which it connects",
      """
      0 radio on
      0 preserved a backgroundMode crash Fred 180D -> air bits 61 background
      1 launched a foregroundOnly suspendedError 05 restorable -> restore a, a foreground launched,
        air Fred 180D foreground
      2 suspend a -> a suspended userSuspended, air nothing
      3 read a #1 -> refuse a #1 05 R4
      """),
    Trace(
      "a suspended process that has outlived the phone's stays suspended until an event wakes it", after: .preserved,
      """
      1 resumed a backgroundMode restorable suspended into background -> restore a, a suspended phoneRestarted
      2 read a #1 -> a background wokenForRequest read, deliver a #1, schedule 6.5
      """),
    Trace(
      "a resumed app is awake where an event that wakes it is queued", after: .preserved,
      """
      1 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 11
      2 resumed a backgroundMode restorable suspended into background -> restore a, a background phoneRestarted,
        deliver a #1, schedule 12
      """),
    Trace(
      "a resumed app is awake where it publishes again", after: .preserved,
      """
      1 resumed a backgroundMode restorable suspended into leftForeground -> restore a, a background launched,
        schedule 11
      """),
    Trace(
      "a resumed frontmost app moves to the foreground when the screen is unlocked",
      """
      0 radio on
      0 screenPreserved
      0 preserved a backgroundMode crash - 180D -> air bits 61 background
      1 resumed a backgroundMode restorable suspended frontmost into background -> restore a,
        a suspended phoneRestarted
      2 unlocked -> a foreground screenUnlocked, air 180D foreground
      """),
    Trace(
      "a resumed frontmost app moves to the foreground, unless another app is frontmost",
      """
      0 radio on
      0 screenPreserved
      0 preserved a backgroundMode crash - 180D -> air bits 61 background
      0 preserved b backgroundMode crash - 180F -> air bits 61 115 background
      1 unlocked -> air bits 61 115 background
      2 resumed a backgroundMode restorable suspended frontmost into background -> restore a, a foreground launched,
        air 180D bits 115 foreground
      3 resumed b backgroundMode restorable suspended frontmost into background -> restore b,
        b suspended phoneRestarted
      """),
    Trace(
      "before the first unlock after a reboot nothing is on the air",
      """
      0 radio on
      0 screenPreserved beforeFirstUnlock
      0 preserved a backgroundMode crash - 180D
      1 unlocked -> air bits 61 background
      """),
  ]
}
