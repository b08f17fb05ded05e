import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R15: relaunching depends on the cause and the version")
struct R15RelaunchByVersionTests {
  enum Outcome { case resumed, relaunched, afterUnlock, forgotten }

  struct Row: Sendable {
    let trigger: RelaunchTrigger
    /// iOS 11, 13, 14, 18, 26, and 26 with AccessorySetupKit.
    let outcomes: [Outcome]
  }

  private static let rows: [Row] = [
    Row(trigger: .suspended, outcomes: [.resumed, .resumed, .resumed, .resumed, .resumed, .resumed]),
    Row(
      trigger: .memoryPressure,
      outcomes: [.relaunched, .relaunched, .relaunched, .relaunched, .relaunched, .relaunched]),
    Row(trigger: .crash, outcomes: [.relaunched, .relaunched, .relaunched, .relaunched, .relaunched, .relaunched]),
    Row(trigger: .forceQuit, outcomes: [.forgotten, .forgotten, .forgotten, .forgotten, .forgotten, .relaunched]),
    Row(trigger: .exceededLimits, outcomes: [.forgotten, .forgotten, .forgotten, .forgotten, .forgotten, .forgotten]),
    Row(
      trigger: .bluetoothSwitchedInSettings,
      outcomes: [.forgotten, .forgotten, .forgotten, .forgotten, .forgotten, .forgotten]),
    Row(
      trigger: .bluetoothToggledInControlCenter,
      outcomes: [.relaunched, .relaunched, .relaunched, .relaunched, .forgotten, .relaunched]),
    Row(
      trigger: .airplaneMode,
      outcomes: [.forgotten, .forgotten, .forgotten, .forgotten, .forgotten, .forgotten]),
    Row(
      trigger: .reboot,
      outcomes: [.afterUnlock, .afterUnlock, .afterUnlock, .afterUnlock, .afterUnlock, .afterUnlock]),
  ]

  private static let columns: [(IOSVersion, hasSetup: Bool)] =
    [.ios11, .ios13, .ios14, .ios18, .ios26].map { ($0, false) } + [(.ios26, true)]

  @Test("Every trigger has its outcome in every version", arguments: rows) func outcome(row: Row) {
    #expect(row.outcomes.count == Self.columns.count)
    for (column, expected) in zip(Self.columns, row.outcomes) {
      let found = Self.outcome(of: row.trigger, column.0, hasSetup: column.hasSetup, isRestorable: true)
      #expect(found == expected, "\(column)")
    }
  }

  @Test("Every trigger has its row") func complete() {
    #expect(Self.rows.map(\.trigger) == RelaunchTrigger.allCases)
  }

  @Test(
    "Without a restoration identifier an app is not relaunched after any trigger", arguments: RelaunchTrigger.allCases)
  func withoutIdentifier(trigger: RelaunchTrigger) {
    for (version, hasSetup) in Self.columns {
      let found = Self.outcome(of: trigger, version, hasSetup: hasSetup, isRestorable: false)
      #expect(found == (trigger == .suspended ? .resumed : .forgotten))
    }
  }

  /// The effect of a write after the trigger; nil where it is none of the outcomes.
  private static func outcome(
    of trigger: RelaunchTrigger, _ version: IOSVersion, hasSetup: Bool, isRestorable: Bool
  ) -> Outcome? {
    let app = AppID(rawValue: 1)
    var policy = Policy(rules: RuleSet(version))
    func actions(_ event: Policy.Event) -> [Policy.Action] { policy.handle(event, at: .seconds(1)) }
    let description = AppIdentity(
      name: "app", hasBackgroundMode: true, isRestorable: isRestorable, usesAccessorySetup: hasSetup)
    func write(_ number: Int) -> Policy.Event {
      .request(app, EventID(rawValue: number), .write, manager: description.manager)
    }
    _ = actions(.radio(.on))
    _ = actions(.centrals(areConnected: true))
    _ = policy.launch(app, description, at: .seconds(1))
    var isForgotten = false
    for event in events(of: trigger, app) where actions(event).contains(.forget(app)) { isForgotten = true }
    let reaction = actions(write(1))
    if reaction.contains(.relaunch(app, .wokenForRequest(.write))) { return isForgotten ? nil : .relaunched }
    if reaction.contains(.setState(app, .background, .wokenForRequest(.write))) { return isForgotten ? nil : .resumed }
    if isForgotten { return policy.status(of: app, at: .seconds(1)) == nil ? .forgotten : nil }
    guard reaction == [.refuse(app, EventID(rawValue: 1), .unlikelyError, .r15)] else { return nil }
    _ = actions(.unlocked)
    return actions(write(2)).contains(.relaunch(app, .wokenForRequest(.write)))
      ? .afterUnlock : nil
  }

  private static func events(of trigger: RelaunchTrigger, _ app: AppID) -> [Policy.Event] {
    func switched(_ means: BluetoothSwitch) -> [Policy.Event] {
      [.terminated(app, .crash), .bluetoothSwitched(means), .radio(.off), .radio(.on)]
    }
    switch trigger {
    case .suspended: return [.suspend(app)]
    case .memoryPressure: return [.terminated(app, .memoryPressure)]
    case .crash: return [.terminated(app, .crash)]
    case .forceQuit: return [.terminated(app, .forceQuit)]
    case .exceededLimits: return [.terminated(app, .exceededLimits)]
    case .bluetoothSwitchedInSettings: return switched(.settings)
    case .bluetoothToggledInControlCenter: return switched(.controlCenter)
    case .airplaneMode: return switched(.airplaneMode)
    case .reboot: return [.rebooted]
    }
  }

  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  private static let table: [Trace] = [
    Trace(
      "a reboot terminates every app, and before the first unlock nothing is on the air and no app is relaunched",
      splitView: true,
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      1 launched b backgroundMode -> b foreground launched
      1 launched c backgroundMode restorable -> c foreground launched
      2 terminated c crash -> c notRunning crash
      3 read c #1 -> queue c #1, relaunch c wokenForRequest read, schedule 7.5
      3 subscribe c #2 -> queue c #2
      4 read a #3 -> deliver a #3
      5 rebooted -> refuse a #3 0E, a notRunning reboot, terminate a reboot, b notRunning reboot,
        terminate b reboot, forget b, refuse c #1 0E, drop c #2 R15, terminate c reboot, air nothing,
        schedule never
      5 ? isScreenLocked sinceReboot
      5 ? relaunch a afterFirstUnlock
      5 ? terminationCause c reboot
      6 write a #4 -> refuse a #4 0E R15
      6 subscribe a #5 -> drop a #5 R15
      6 command a #6 -> drop a #6 R15
      7 locked
      8 unlocked -> air bits 61 background
      9 write a #7 -> queue a #7, relaunch a wokenForRequest write, schedule 13.5
      10 locked -> air bits 61 background
      11 subscribe c #8 -> queue c #8, relaunch c wokenForNotice subscribe
      """),
    Trace(
      "an app that the user launches before the first unlock is not on the air either", ios: .ios13, splitView: true,
      """
      0 radio on
      0 preserved a backgroundMode reboot - 180D -> air bits 61 background
      1 rebooted -> air nothing
      2 launched a backgroundMode restorable -> restore a, a background launched, schedule 12
      3 launched b backgroundMode -> b background launched
      3 startAdvertising b Fred 180F
      4 read b #1 -> deliver b #1, schedule 8.5
      5 unlocked -> a foreground screenUnlocked, b foreground screenUnlocked, air Fred 180D 180F foreground
      """),
    Trace(
      "an app that is reported as terminated by a reboot locks the phone until the first unlock",
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 startAdvertising a Fred 180D -> air Fred 180D foreground
      2 terminated a reboot -> a notRunning reboot, air nothing
      3 unlocked -> air bits 61 background
      """),
    Trace(
      "a reboot resets the count of failed relaunches", after: .preserved,
      """
      0 subscribe a #1 -> queue a #1, relaunch a wokenForNotice subscribe, schedule 10
      1 relaunchFailed a -> schedule 2
      1 rebooted -> drop a #1 R15, air nothing, schedule never
      1 ? failedRelaunches a 0
      2 unlocked -> air bits 61 background
      2 ? relaunch a ready
      """),
    Trace(
      "switching Bluetooth off in Settings forgets terminated apps with their queued events, and no others",
      splitView: true,
      """
      0 radio on
      1 launched a backgroundMode restorable -> a foreground launched
      1 launched b backgroundMode restorable -> b foreground launched
      2 terminated a crash -> a notRunning crash
      2 suspend b -> b suspended userSuspended
      3 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 7.5
      3 command a #2 -> queue a #2
      4 bluetoothSwitched settings -> refuse a #1 0E, drop a #2 R15, forget a, schedule never
      4 radio off
      5 radio on
      5 ? terminationCause a no
      6 relaunchFailed a
      6 read b #3 -> b background wokenForRequest read, deliver b #3, schedule 10.5
      """),
    Trace(
      "a force quit of a terminated app forgets it", ios: .ios18, after: .preserved,
      """
      1 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 5.5
      2 terminated a forceQuit -> refuse a #1 0E, forget a, air nothing, schedule never
      """),
    Trace(
      "a force quit of a terminated app with AccessorySetupKit keeps it, and a relaunch in progress continues",
      ios: .ios26,
      """
      0 radio on
      0 launched a backgroundMode restorable accessorySetup -> a foreground launched
      0 terminated a crash -> a notRunning crash
      1 read a #1 -> queue a #1, relaunch a wokenForRequest read, schedule 5.5
      2 terminated a forceQuit
      2 ? terminationCause a forceQuit
      2 ? relaunch a inProgress
      """),
  ]
}
