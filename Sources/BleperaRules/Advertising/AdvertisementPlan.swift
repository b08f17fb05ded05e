package import BleperaBluetooth

/// What the phone advertises for all apps together, and why.
package struct AdvertisementPlan: Hashable, Sendable {
  /// Nil where an iPhone would not advertise.
  package let phone: PhoneAdvertisement?
  /// Nil where nothing is on the air.
  package let pace: IntervalKind?
  package let interval: AdvertisingInterval?
  /// The UUIDs that set the bits of the overflow area, each with its app.
  package let overflow: [OverflowEntry]
  package let reasons: [PlanReason]

  package static let silent = silent(because: [])

  static func silent(because reasons: [PlanReason]) -> AdvertisementPlan {
    AdvertisementPlan(phone: nil, pace: nil, interval: nil, overflow: [], reasons: reasons)
  }

  package var overflowArea: OverflowArea { OverflowArea(overflow.map(\.uuid)) }
}

/// Which of a rule set's two advertising intervals applies (R3).
package enum IntervalKind: String, Hashable, Sendable {
  case foreground
  case background
}
