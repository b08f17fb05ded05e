import BleperaBlueZ
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaProfile
@testable import BleperaSessions

/// The packets on the air, and the discoveries of each kind of central.
@Suite struct ExplainAirTests {
  @Test(arguments: ExplainSample.shipped, ExplainedState.allCases)
  func `no packet is longer than 31 bytes, and its structures are all of it`(
    profile: (path: String, ios: IOSVersion), state: ExplainedState
  ) throws {
    let words = "\(profile.path) --ios \(profile.ios.rawValue) --state \(state.rawValue)"
    let packets = try #require(try ExplainSample.explanation(words).states.first).packets
    let isSilent = profile.path.hasSuffix("foreground-only.plist") && state != .foreground
    #expect(packets.isEmpty == (isSilent || profile.path.hasSuffix("lock-remote.plist")))
    for packet in packets.map(PacketReport.init) {
      #expect(packet.length <= AdvertisingBudget.legacyMaximum && packet.hex.count == 2 * packet.length)
      #expect(packet.structures.map(\.hex).joined() == packet.hex)
      #expect(packet.structures.reduce(0) { $0 + $1.length } == packet.length)
    }
  }

  @Test(arguments: ExplainSample.shipped, [ExplainedState.foreground, .background])
  func `a central sees of BlueZ what it sees of an iPhone`(
    profile: (path: String, ios: IOSVersion), state: ExplainedState
  ) throws {
    let words = "\(profile.path) --ios \(profile.ios.rawValue) --state \(state.rawValue)"
    let explanation = try #require(try ExplainSample.explanation(words).states.first)
    let packets = explanation.bluez.flatMap { [$0.advertisingData, $0.scanResponse] }
    guard !packets.isEmpty else { return }
    // bluetoothd leaves out what Android 16 joins.
    let views = CentralView.all(of: packets, requested: StateExplanation.requestedServices(explanation.apps))
    #expect(views.filter { $0.kind != .android16 } == explanation.centrals.filter { $0.kind != .android16 })
  }

  private static let views: [(ExplainedState, CentralKind, String?, [String], [String]?, [String]?)] = [
    (.foreground, .iosWithServices, "Chest", ["180D"], [], nil),
    (.foreground, .ios, "Chest", ["180D"], nil, nil),
    (.foreground, .android, "Chest", ["180D"], nil, []),
    (.foreground, .bluez, "Chest", ["180D"], nil, []),
    (.background, .iosWithServices, nil, [], ["180D"], nil),
    (.background, .ios, nil, [], nil, nil),
    (.background, .android, nil, [], nil, ["004C 0100000000000000200000000000000000"]),
    (
      .background, .android16, nil, [], nil, ["004C 10077B1FF0820300380100000000000000200000000000000000"]
    ),
    (.background, .bluez, nil, [], nil, ["004C 0100000000000000200000000000000000"]),
    (.suspended, .iosWithServices, nil, [], ["180D"], nil),
  ]

  @Test(arguments: views)
  func `each kind of central sees its own part`(
    state: ExplainedState, kind: CentralKind, name: String?, uuids: [String], byBit: [String]?, data: [String]?
  ) throws {
    let explanation = ExplainSample.state(state, [ExplainSample.profile("Chest", [0x180D])])
    let view = try #require(explanation.centrals.first { $0.kind == kind })
    #expect(view.name == name)
    #expect(view.serviceUUIDs.map(\.description) == uuids)
    #expect(view.overflowServiceUUIDs?.map(\.description) == byBit)
    #expect(view.manufacturerData?.map { "\($0.company) \($0.data)" } == data)
  }

  @Test func `nobody asks for UUIDs that no app has`() {
    let explanation = ExplainSample.state(.foreground, [ExplainSample.profile("Chest", [])])
    #expect(explanation.centrals.map(\.kind) == [.ios, .android, .android16, .bluez])
  }

  private static let silences: [(ExplainedState, [Profile], String?)] = [
    (.foreground, [Profile()], "Nothing of an app is on the air: no app advertises."),
    (
      .background, [Profile(backgroundModes: ["bluetooth-peripheral"])],
      "Nothing of an app is on the air: no app advertises."
    ),
    (
      .background, [ExplainSample.profile("a", [0x180D], hasMode: false)],
      "Nothing of an app is on the air: an app without bluetooth-peripheral is not advertised in the background (R4)."
    ),
    (
      .suspended, [ExplainSample.profile("a", [])],
      "Nothing of an app is on the air: a local name alone is not advertised in the background (R2)."
    ),
    (.foreground, [ExplainSample.profile("a", [0x180D], hasMode: false)], nil),
    (.background, [ExplainSample.profile("a", [0x180D], hasMode: false), ExplainSample.profile("b", [0x1809])], nil),
  ]

  @Test(arguments: silences)
  func `where nothing is on the air it is said why`(state: ExplainedState, profiles: [Profile], silence: String?) {
    let explanation = ExplainSample.state(state, profiles)
    #expect(explanation.suppression == silence)
    #expect((explanation.plan.phone == nil) == (silence != nil))
    #expect(explanation.bluez.isEmpty == (silence != nil))
    #expect(explanation.centrals.isEmpty == (silence != nil))
  }

  @Test func `a bit has the UUIDs that stand behind it and their apps`() {
    let profiles = [ExplainSample.profile("a", [0x1001, 0x180D]), ExplainSample.profile("b", [0x3333, 0x180D])]
    let explanation = ExplainSample.state(.background, profiles)
    #expect(
      explanation.bits == [
        OverflowBitReport(bit: 57, uuids: ["1001", "3333"], apps: ["app1", "app2"]),
        OverflowBitReport(bit: 61, uuids: ["180D"], apps: ["app1", "app2"]),
      ])
    #expect(explanation.bits.map(\.isCollision) == [true, false])
    #expect(explanation.citedRules.map(\.id) == [.r2, .r3, .r11])
  }

  @Test func `the last app that is given is in the foreground`() {
    let one = ExplainSample.profile("One", [0x180D])
    let two = ExplainSample.profile("Two", [0x1809])
    let names = [[one, two], [two, one]].map { ExplainSample.state(.foreground, $0).centrals.first?.name }
    #expect(names == ["Two", "One"])
  }
}
