import BleperaBluetooth
import BleperaRules
import Testing

@Suite("R12: advertising in the background")
struct R12NoNewAdvertisementTests {
  @Test("Each event has its actions", arguments: table) func traces(trace: Trace) {
    #expect(trace.differences() == [])
  }

  @Test("Of several managers each has its own request") func managers() {
    var policy = Policy(rules: .newest)
    let app = AppID(rawValue: 1)
    let other = ManagerID.number(1)
    let fields = ["180D", "180F"].map { AdvertisementData(serviceUUIDs: [TraceWord.uuid($0)]) }
    let events: [Policy.Event] = [
      .radio(.on), .launched(app, AppIdentity(name: "app", hasBackgroundMode: true), into: .foreground),
      .managerCreated(app, other), .startAdvertising(app, fields[0], by: other), .toBackground(app),
      .startAdvertising(app, fields[1]),
    ]
    for event in events { _ = policy.handle(event, at: .seconds(1)) }
    #expect(policy.advertisers.map(\.manager) == [.number(0), other])
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
      "started in the background it appears at once up to iOS 13", ios: .ios13,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 back a -> a background userLeft, at 12
      3 start a Fred 180D -> air bits 61 background
      4 stop a -> air nothing
      5 start a Fred 180F -> air bits 115 background
      """),
    Trace(
      "from iOS 14 on it appears at the next foreground", ios: .ios14,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      2 back a -> a background userLeft, at 12
      3 start a Fred 180D -> withhold a R12
      3 ? withheld a R12
      3 ? advertises a yes
      4 front a -> a foreground userBroughtToFront, air Fred 180D foreground, at never
      4 ? withheld a no
      5 back a -> a background userLeft, air bits 61 background, at 15
      """),
    Trace(
      "what was started in the foreground carries on, whatever is changed", ios: .ios26,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 back a -> a background userLeft, air bits 61 background, at 12
      3 stop a -> air nothing
      3 ? advertises a no
      3 start a Fred 180F -> withhold a R12
      12 tick -> a suspended gracePeriodExpired, at never
      20 front a -> a foreground userBroughtToFront, air Fred 180F foreground
      """),
    Trace(
      "a stop takes effect at once", ios: .ios26,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 back a -> a background userLeft, air bits 61 background, at 12
      3 stop a -> air nothing
      4 front a -> a foreground userBroughtToFront, at never
      """),
    Trace(
      "a start of the same is withheld too", ios: .ios26,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 locked -> a background screenLocked, air bits 61 background, at 12
      3 stop a -> air nothing
      3 start a Fred 180D -> withhold a R12
      3 ? withheld a R12
      4 unlocked -> a foreground screenUnlocked, air Fred 180D foreground, at never
      """),
    Trace(
      "the end of the app takes its advertisement off the air", ios: .ios26,
      """
      0 radio on
      1 launch a mode -> a foreground launched
      1 start a Fred 180D -> air Fred 180D foreground
      2 back a -> a background userLeft, air bits 61 background, at 12
      3 crash a -> a notRunning crash, forget a, air nothing, at never
      """),
    Trace(
      "launched as one that has left, only the first start counts as before", ios: .ios26,
      """
      0 radio on
      1 launch a mode left -> a inactive launched, at 11
      2 start a Fred 180D -> a background launchFinished, air bits 61 background, at 12
      3 stop a -> air nothing
      4 start a Fred 180F -> withhold a R12
      """),
  ]
}
