import BleperaBluetooth
import BleperaRules
import Testing

/// The requests of apps, one app a line in the order of start, and the packets that must be on the air.
///
/// `a foreground backgroundMode Fred 180D`: app, state, `backgroundMode` or `foregroundOnly`, name or `-`, UUIDs. L1 to
/// L5 are 128-bit UUIDs; those of `captured` have names.
struct Air: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let rules: RuleSet
  let advertisers: [Advertiser]
  let expected: String

  /// UUIDs of published captures: davidgyoung/ios-overflow-area, covidsafescan (two), room-assistant, NHS Sonar, AOSP.
  static let captured: [String: String] = [
    "young": "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6",
    "covidsafe": "B82AB3FC-1595-4F6A-80F0-FE094CC218F9",
    "covidsafe2": "17E033D3-490E-4BC9-9FE8-2F567643F4D3",
    "room": "5403C8A7-5C96-47E9-9AB8-59E373D875A7",
    "sonar": "C1F5983C-FA94-4AC8-8E2E-BB86D6DE9B21",
    "cars": "00003AC5-0000-1000-8000-00805F9B34FB",
  ]

  /// - Parameter items: of the phone's own, in place of the rule set's.
  init(
    _ name: String, ios version: IOSVersion = .newest, kind: PhoneKind = .earlier, items: [AppleItem]? = nil,
    _ apps: String, _ expected: String
  ) {
    testDescription = name
    let rules = RuleSet(version).with(phoneKind: kind)
    self.rules = items.map { rules.with(backgroundAppleItems: $0) } ?? rules
    advertisers = Self.advertisers(apps)
    self.expected = expected
  }

  var plan: AdvertisementPlan { AdvertisementPlanner.plan(advertisers, rules: rules) }

  static func advertisers(_ text: String) -> [Advertiser] {
    text.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map { captured[String($0)] ?? String($0) }
      return Advertiser(
        app: TraceWord.app(words[0]), state: AppState(rawValue: words[1]) ?? .notRunning,
        hasBackgroundMode: words[2] == "backgroundMode", fields: TraceWord.fields(Array(words[3...])))
    }
  }

  /// A line a packet: `iPhone ADV_IND` and `iPhone SCAN_RSP`; structures apart by `|`.
  static func packets(_ plan: AdvertisementPlan) -> String {
    var lines: [String] = []
    if let phone = plan.phone {
      lines += ["iPhone ADV_IND \(text(phone.advertisingData))", "iPhone SCAN_RSP \(text(phone.scanResponse))"]
    }
    return lines.map { $0.split(separator: " ").joined(separator: " ") }.joined(separator: "\n")
  }

  private static func text(_ data: AdvertisingData) -> String {
    data.structures.map { Hex.string($0.bytes, separator: " ") }.joined(separator: " | ")
  }
}
