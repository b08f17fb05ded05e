import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R15: what ended an app decides")
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

  @Test("Every row has its outcome in every version", arguments: rows) func outcome(row: Row) {
    #expect(row.outcomes.count == Self.columns.count)
    for (column, expected) in zip(Self.columns, row.outcomes) {
      let found = Self.outcome(of: row.trigger, column.0, hasSetup: column.hasSetup, isRestorable: true)
      #expect(found == expected, "\(column)")
    }
  }

  @Test("Every trigger has its row") func complete() {
    #expect(Self.rows.map(\.trigger) == RelaunchTrigger.allCases)
  }

  @Test("Without a restoration identifier none comes back", arguments: RelaunchTrigger.allCases)
  func withoutIdentifier(trigger: RelaunchTrigger) {
    for (version, hasSetup) in Self.columns {
      let found = Self.outcome(of: trigger, version, hasSetup: hasSetup, isRestorable: false)
      #expect(found == (trigger == .suspended ? .resumed : .forgotten))
    }
  }

  /// What becomes of a write after it has happened; nil where it is neither.
  private static func outcome(
    of trigger: RelaunchTrigger, _ version: IOSVersion, hasSetup: Bool, isRestorable: Bool
  ) -> Outcome? {
    let app = AppID(rawValue: 1)
    let write = Policy.Event.request(app, EventID(rawValue: 1), .write)
    var policy = Policy(rules: RuleSet(version))
    func actions(_ event: Policy.Event) -> [Policy.Action] { policy.handle(event, at: .seconds(1)) }
    let description = AppIdentity(
      name: "app", hasBackgroundMode: true, isRestorable: isRestorable, usesAccessorySetup: hasSetup)
    _ = actions(.radio(.on))
    _ = actions(.centrals(areConnected: true))
    _ = actions(.launched(app, description, into: .foreground))
    var isForgotten = false
    for event in events(of: trigger, app) where actions(event).contains(.forget(app)) { isForgotten = true }
    let reaction = actions(write)
    if reaction.contains(.relaunch(app, .wokenForRequest(.write))) { return isForgotten ? nil : .relaunched }
    if reaction.contains(.setState(app, .background, .wokenForRequest(.write))) { return isForgotten ? nil : .resumed }
    if isForgotten { return policy.status(of: app, at: .seconds(1)) == nil ? .forgotten : nil }
    guard reaction == [.refuse(app, EventID(rawValue: 1), .unlikelyError, .r15)] else { return nil }
    _ = actions(.unlocked)
    return actions(.request(app, EventID(rawValue: 2), .write)).contains(.relaunch(app, .wokenForRequest(.write)))
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
      "a reboot ends every app, and before the first unlock nothing is on the air and nobody is relaunched",
      splitView: true,
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      1 launch b mode -> b foreground launched
      1 launch c mode keep -> c foreground launched
      2 crash c -> c notRunning crash
      3 read c #1 -> queue c #1, relaunch c woken read, at 7.5
      3 subscribe c #2 -> queue c #2
      4 read a #3 -> tell a #3
      5 rebooted -> refuse a #3 0E, a notRunning reboot, terminate a reboot, b notRunning reboot, terminate b reboot, forget b, refuse c #1 0E, drop c #2 appEnded, terminate c reboot, air nothing, at never
      5 ? locked sinceReboot
      5 ? relaunch a afterFirstUnlock
      5 ? ended c reboot
      6 write a #4 -> refuse a #4 0E R15
      6 subscribe a #5 -> drop a #5 appEnded
      6 command a #6 -> drop a #6 appEnded
      7 locked
      8 unlocked -> air bits 61 background
      9 write a #7 -> queue a #7, relaunch a woken write, at 13.5
      10 locked -> air bits 61 background
      11 subscribe c #8 -> queue c #8, relaunch c woken subscribe
      """),
    Trace(
      "what the user starts before the first unlock is not on the air either", ios: .ios13, splitView: true,
      """
      0 radio on
      0 preserved a mode reboot - 180D -> air bits 61 background
      1 rebooted -> air nothing
      2 launch a mode keep -> restore a, a background launched, at 12
      3 launch b mode -> b background launched
      3 start b Fred 180F
      4 read b #1 -> tell b #1, at 8.5
      5 unlocked -> a foreground screenUnlocked, b foreground screenUnlocked, air Fred 180D 180F foreground
      """),
    Trace(
      "an app that a reboot has ended tells of it as well",
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 end a reboot -> a notRunning reboot, air nothing
      3 unlocked -> air bits 61 background
      """),
    Trace(
      "a reboot ends the count of relaunches that failed",
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      0 subscribe a #1 -> queue a #1, relaunch a woken subscribe, at 10
      1 failed a -> at 2
      1 rebooted -> drop a #1 appEnded, air nothing, at never
      1 ? failed a 0
      2 unlocked -> air bits 61 background
      2 ? relaunch a ready
      """),
    Trace(
      "Bluetooth switched off in Settings takes those that are gone with all that waits, and no others",
      splitView: true,
      """
      0 radio on
      1 launch a mode keep -> a foreground launched
      1 launch b mode keep -> b foreground launched
      2 crash a -> a notRunning crash
      2 suspend b -> b suspended userSuspended
      3 read a #1 -> queue a #1, relaunch a woken read, at 7.5
      3 command a #2 -> queue a #2
      4 switched settings -> refuse a #1 0E, drop a #2 appEnded, forget a, at never
      4 radio off
      5 radio on
      5 ? ended a no
      6 failed a
      6 read b #3 -> b background woken read, tell b #3, at 10.5
      """),
    Trace(
      "one that is gone is quit for good", ios: .ios18,
      """
      0 radio on
      0 preserved a mode crash - 180D -> air bits 61 background
      1 read a #1 -> queue a #1, relaunch a woken read, at 5.5
      2 end a forceQuit -> refuse a #1 0E, forget a, air nothing, at never
      """),
    Trace(
      "with AccessorySetupKit it is not, and a relaunch that is under way goes on", ios: .ios26,
      """
      0 radio on
      0 launch a mode keep setup -> a foreground launched
      0 crash a -> a notRunning crash
      1 read a #1 -> queue a #1, relaunch a woken read, at 5.5
      2 end a forceQuit
      2 ? ended a forceQuit
      2 ? relaunch a inProgress
      """),
  ]
}
