import GATT
import Policy

extension StateExplanation: Encodable {
  private enum CodingKeys: CodingKey {
    case state, silence, interval, iphone, bluez, overflow, centrals, answers, reasons, differences
  }

  private struct Interval: Encodable {
    let minimum: Double
    let maximum: Double
  }

  private struct Phone: Encodable {
    let advertisingData: PacketReport
    let scanResponse: PacketReport
    let budgetUsed: Int
    let budget: Int
    let nameBudgetUsed: Int
    let nameBudget: Int
  }

  private struct BlueZ: Encodable {
    let advertisingData: PacketReport
    let scanResponse: PacketReport
    let interval: Interval
  }

  private struct Overflow: Encodable {
    let mask: String
    let bits: [OverflowBitReport]
  }

  private struct Reason: Encodable {
    let app: String
    let field: String
    let fate: String
    let rule: String
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state, forKey: .state)
    try container.encodeIfPresent(silence, forKey: .silence)
    try container.encodeIfPresent(
      plan.interval.map { Interval(minimum: $0.minimum, maximum: $0.maximum) }, forKey: .interval)
    try container.encodeIfPresent(plan.phone.map(phone), forKey: .iphone)
    try container.encode(plan.advertisements.map(Self.bluez), forKey: .bluez)
    if !bits.isEmpty {
      try container.encode(Overflow(mask: Hex.string(plan.overflowArea.bytes), bits: bits), forKey: .overflow)
    }
    try container.encode(centrals, forKey: .centrals)
    try container.encode(answers, forKey: .answers)
    let reasons = plan.reasons.map { reason in
      Reason(app: name(of: reason.app), field: "\(reason.field)", fate: "\(reason.fate)", rule: "\(reason.rule)")
    }
    try container.encode(reasons, forKey: .reasons)
    try container.encode(plan.differences.map { "\($0)" }, forKey: .differences)
  }

  private func phone(_ phone: PhoneAdvertisement) -> Phone {
    Phone(
      advertisingData: PacketReport(phone.advertisingData), scanResponse: PacketReport(phone.scanResponse),
      budgetUsed: phone.budgetUsed, budget: rules.foregroundBudget.value, nameBudgetUsed: phone.nameBudgetUsed,
      nameBudget: rules.scanResponseNameBudget.value)
  }

  private static func bluez(_ advertisement: BlueZAdvertisement) -> BlueZ {
    let interval = advertisement.interval
    return BlueZ(
      advertisingData: PacketReport(advertisement.advertisingData),
      scanResponse: PacketReport(advertisement.scanResponse),
      interval: Interval(minimum: Double(interval.wholeMinimum), maximum: Double(interval.wholeMaximum)))
  }
}
