import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import FoundationEssentials
import Testing

@testable import BleperaCLI

@Suite struct ExplainJSONTests {
  static func decoded(_ words: String) throws -> DecodedExplanation {
    let json = try ExplainSample.explanation(words).json
    #expect(!json.contains("\n"))
    return try JSONDecoder().decode(DecodedExplanation.self, from: Data(json.utf8))
  }

  @Test(arguments: ExplainSample.shipped)
  func `the JSON of every shipped profile decodes, and says what the plan says`(
    profile: (path: String, ios: IOSVersion)
  ) throws {
    let words = "\(profile.path) --ios \(profile.ios.rawValue)"
    let explanation = try ExplainSample.explanation(words)
    let decoded = try Self.decoded(words)
    #expect(decoded.ios == profile.ios.rawValue)
    #expect(decoded.apps.map(\.identifier) == explanation.apps.map(\.identifier))
    #expect(decoded.states.map(\.state) == ["foreground", "background"])
    for (state, expected) in zip(decoded.states, explanation.states) {
      let phone = state.iphone.map { [$0.advertisingData, $0.scanResponse] } ?? []
      let packets = phone + state.bluez.flatMap { [$0.advertisingData, $0.scanResponse] }
      #expect(packets.map(\.hex) == expected.packets.map { PacketReport($0).hex })
      #expect(packets.allSatisfy { $0.length <= 31 })
      #expect(state.overflowArea?.bits.map(\.bit) ?? [] == expected.plan.overflowArea.bits)
      #expect(state.limitations.map(\.instead) == expected.limitations.map(\.instead))
      #expect(state.reasons.count == expected.plan.reasons.count)
      #expect((state.suppression == nil) == (state.iphone != nil) && state.bluez.isEmpty == (state.iphone == nil))
    }
  }

  @Test func `heart-rate in the background, key by key`() throws {
    let decoded = try Self.decoded("profiles/heart-rate.plist --state background")
    let state = try #require(decoded.states.first)
    let phone = try #require(state.iphone)
    let bluez = try #require(state.bluez.first)
    #expect(decoded.apps.first?.backgroundMode == true)
    #expect(state.interval == DecodedExplanation.Interval(minimum: 270, maximum: 270))
    #expect(bluez.interval == DecodedExplanation.Interval(minimum: 1280, maximum: 1280))
    #expect(phone.advertisingData.hex == "02011A020A0C0CFF4C0010077B1FF082030038")
    #expect(phone.advertisingData.structures.map(\.type) == ["flags", "txPowerLevel", "manufacturerData"])
    #expect(phone.scanResponse.hex == "14FF4C000100000000000000200000000000000000")
    #expect([phone.budgetUsed, phone.budget, phone.nameBudgetUsed, phone.nameBudget] == [0, 28, 0, 10])
    #expect(bluez.advertisingData.hex == "14FF4C000100000000000000200000000000000000020106")
    #expect(state.overflowArea?.mask == "00000000000000200000000000000000")
    #expect(
      state.overflowArea?.bits == [DecodedExplanation.Bit(bit: 61, uuids: ["180D"], apps: ["org.blepera.heart-rate"])])
    #expect(state.centrals.map(\.central) == ["iosWithServices", "ios", "android", "android16", "bluez"])
    let answers = try #require(state.responses.first)
    #expect(answers.running && answers.secondsLeft == 10)
    let woken = DecodedExplanation.Request(request: "subscribe", outcome: "woken", rule: "R5", seconds: 10, error: nil)
    #expect(answers.requestsWhenSuspended?.last == woken)
    let reason = DecodedExplanation.Reason(
      app: "org.blepera.heart-rate", field: "180D", outcome: "in the overflow area, bit 61", rule: "R2")
    #expect(state.reasons.first == reason)
  }

  private static let inAdvertisement = ["14FF4C000100000000000000200000000000000000020106", ""]
  private static let inScanResponse = [
    "0CFF4C0010077B1FF082030038020106", "14FF4C000100000000000000200000000000000000",
  ]

  /// Measurements of these releases: options, packets, interval, and the limitations that depend on them.
  private static let daemons: [(String, String, Bool, [String], Double, Set<String>)] = [
    ("", "5.66", false, inAdvertisement, 1280, ["overflow-place", "apple-item", "intervals"]),
    ("--bluez-version 5.66", "5.66", false, inAdvertisement, 1280, ["overflow-place", "apple-item", "intervals"]),
    ("--experimental", "5.66", true, inAdvertisement, 270, ["overflow-place", "apple-item"]),
    ("--bluez-version 5.77", "5.77", false, inAdvertisement, 270, ["overflow-place", "apple-item"]),
    ("--bluez-version 5.82", "5.82", false, inScanResponse, 270, []),
    ("--bluez-version 5.82 --experimental", "5.82", true, inScanResponse, 270, []),
  ]

  @Test(arguments: daemons)
  func `the packets and the interval are those of a release of bluetoothd`(
    options: String, version: String, isExperimental: Bool, packets: [String], minimum: Double, limitations: Set<String>
  ) throws {
    let decoded = try Self.decoded("profiles/heart-rate.plist --state background \(options)")
    let origin = options.isEmpty ? "assumed" : "given"
    let faults = options.isEmpty ? [] : DaemonFault.texts(version, isExperimental)
    #expect(decoded.bluetoothd == .init(version: version, experimental: isExperimental, origin: origin, faults: faults))
    let state = try #require(decoded.states.first)
    let bluez = try #require(state.bluez.first)
    #expect([bluez.advertisingData.hex, bluez.scanResponse.hex] == packets)
    #expect(bluez.interval.minimum == minimum)
    let dependent: Set = ["overflow-place", "apple-item", "intervals", "whole-milliseconds"]
    #expect(Set(state.limitations.map(\.id)).intersection(dependent) == limitations)
  }

  @Test(arguments: ExplainSample.shipped, ["", "--bluez-version 5.87"])
  func `with --exact BlueZ's packets and interval are an iPhone's`(
    profile: (path: String, ios: IOSVersion), options: String
  ) throws {
    let decoded = try Self.decoded("\(profile.path) --ios \(profile.ios.rawValue) --exact \(options)")
    #expect(decoded.exact)
    for state in decoded.states {
      #expect(state.own == nil || state.iphone == nil)
      let sent = [
        (state.iphone?.advertisingData.hex, state.iphone?.scanResponse.hex, state.interval),
        (state.own?.advertisingData.hex, state.own?.scanResponse.hex, state.own?.interval),
      ].filter { $0.0 != nil }
      #expect(state.bluez.map(\.advertisingData.hex) == sent.map(\.0))
      #expect(state.bluez.map(\.scanResponse.hex) == sent.map(\.1))
      #expect(state.bluez.map(\.interval) == sent.map(\.2))
      #expect(state.limitations.map(\.id) == (sent.isEmpty ? [] : ["address", "exact-overwritten"]))
    }
  }

  private struct OverController: Decodable {
    let bluetoothd: DecodedExplanation.Daemon?
    let states: [State]

    struct State: Decodable {
      let bluez: [DecodedExplanation.BlueZ]?
      let controller: [DecodedExplanation.BlueZ]
      let limitations: [RadioLimitation]
    }
  }

  @Test(arguments: ExplainSample.shipped)
  func `with --controller the packets and the interval are those of --exact, and there is no BlueZ`(
    profile: (path: String, ios: IOSVersion)
  ) throws {
    let words = "\(profile.path) --ios \(profile.ios.rawValue)"
    let json = try ExplainSample.explanation("\(words) --controller").json
    let decoded = try JSONDecoder().decode(OverController.self, from: Data(json.utf8))
    #expect(decoded.bluetoothd == nil)
    for (state, exact) in zip(decoded.states, try Self.decoded("\(words) --exact").states) {
      #expect(state.bluez == nil && state.limitations.isEmpty)
      #expect(state.controller.map(\.advertisingData.hex) == exact.bluez.map(\.advertisingData.hex))
      #expect(state.controller.map(\.scanResponse.hex) == exact.bluez.map(\.scanResponse.hex))
      #expect(state.controller.map(\.interval) == exact.bluez.map(\.interval))
    }
  }

  @Test func `without --exact that is said too`() throws {
    #expect(try !Self.decoded("profiles/heart-rate.plist").exact)
  }

  @Test func `a refusal has its error`() throws {
    let decoded = try Self.decoded("profiles/foreground-only.plist --state suspended")
    let read = decoded.states.first?.responses.first?.requests.first { $0.request == "read" }
    let error = DecodedExplanation.ErrorCode(code: 14, name: "unlikelyError")
    #expect(
      read == DecodedExplanation.Request(request: "read", outcome: "error", rule: "R4", seconds: nil, error: error))
  }
}

extension DaemonFault {
  /// The faults of a release that `explain` prints.
  fileprivate static func texts(_ version: String, _ isExperimental: Bool) -> [String] {
    DaemonVersion(text: version).map { release in
      faults(of: release, isExperimental: isExperimental).map { "\($0.what); \($0.advice)" }
    } ?? []
  }
}
