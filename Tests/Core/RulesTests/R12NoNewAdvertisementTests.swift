import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R12: advertising in the background")
struct R12NoNewAdvertisementTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  @Test("Each manager of an app has its own request") func managers() {
    var policy = Policy(rules: .newest)
    let app = AppID(rawValue: 1)
    let other = ManagerID(.peripheral, .number(1))
    let fields = ["180D", "180F"].map { AdvertisementData(serviceUUIDs: [TraceWord.uuid($0)]) }
    let events: [Policy.Event] = [
      .radio(.on), .launched(app, AppIdentity(name: "app", hasBackgroundMode: true), into: .foreground),
      .managerCreated(app, .only), .managerCreated(app, other), .startAdvertising(app, fields[0], by: other),
      .toBackground(app),
      .startAdvertising(app, fields[1]),
    ]
    for event in events { _ = policy.handle(event, at: .seconds(1)) }
    #expect(policy.advertisers.map(\.manager) == [.only, other])
    #expect(policy.advertisers.map(\.effective) == [nil, fields[0]])
    #expect(policy.plan.overflow.map(\.uuid) == fields[0].serviceUUIDs)
    #expect(policy.status(of: app, at: .seconds(1))?.advertisingWithheldBy == .r12)
    _ = policy.handle(.stopAdvertising(app, by: other), at: .seconds(2))
    #expect(policy.plan.phone == nil)
    _ = policy.handle(.toForeground(app), at: .seconds(3))
    #expect(policy.advertisers.map(\.effective) == [fields[1]])
  }

  private static let table: [Trace] = [
    Trace(
      "advertising that is started in the background begins at once up to iOS 13", ios: .ios13,
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 12
      3 startAdvertising a Fred 180D -> air bits 61 background
      4 stopAdvertising a -> air nothing
      5 startAdvertising a Fred 180F -> air bits 115 background
      """),
    Trace(
      "from iOS 14 on it begins at the next foreground", ios: .ios14,
      """
      0 radio on
      1 launched a backgroundMode -> a foreground launched
      2 toBackground a -> a background userLeft, schedule 12
      3 startAdvertising a Fred 180D -> withholdAdvertising a R12
      3 ? advertisingWithheldBy a R12
      3 ? isAdvertising a yes
      4 toForeground a -> a foreground userBroughtToFront, air Fred 180D foreground, schedule never
      4 ? advertisingWithheldBy a no
      5 toBackground a -> a background userLeft, air bits 61 background, schedule 15
      """),
    Trace(
      "advertising that was started in the foreground continues in the background", ios: .ios26, after: .advertised,
      """
      2 toBackground a -> a background userLeft, air bits 61 background, schedule 12
      3 stopAdvertising a -> air nothing
      3 ? isAdvertising a no
      3 startAdvertising a Fred 180F -> withholdAdvertising a R12
      12 deadline -> a suspended gracePeriodExpired, schedule never
      20 toForeground a -> a foreground userBroughtToFront, air Fred 180F foreground
      """),
    Trace(
      "a stop takes effect at once", ios: .ios26, after: .advertised,
      """
      2 toBackground a -> a background userLeft, air bits 61 background, schedule 12
      3 stopAdvertising a -> air nothing
      4 toForeground a -> a foreground userBroughtToFront, schedule never
      """),
    Trace(
      "starting the same advertisement again is withheld, too", ios: .ios26, after: .advertised,
      """
      2 locked -> a background screenLocked, air bits 61 background, schedule 12
      3 stopAdvertising a -> air nothing
      3 startAdvertising a Fred 180D -> withholdAdvertising a R12
      3 ? advertisingWithheldBy a R12
      4 unlocked -> a foreground screenUnlocked, air Fred 180D foreground, schedule never
      """),
    Trace(
      "terminating the app removes its advertisement from the air", ios: .ios26, after: .advertised,
      """
      2 toBackground a -> a background userLeft, air bits 61 background, schedule 12
      3 terminated a crash -> a notRunning crash, forget a, air nothing, schedule never
      """),
    Trace(
      "launched as an app that has left the foreground, only the first start counts as in the foreground", ios: .ios26,
      """
      0 radio on
      1 launched a backgroundMode into leftForeground -> a inactive launched, schedule 11
      2 startAdvertising a Fred 180D -> a background launchFinished, air bits 61 background, schedule 12
      3 stopAdvertising a -> air nothing
      4 startAdvertising a Fred 180F -> withholdAdvertising a R12
      """),
  ]
}
