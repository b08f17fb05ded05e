package import BleperaBluetooth

/// What the phone advertises for all apps together, and why.
package struct AdvertisementPlan: Hashable, Sendable {
  /// What the apps advertise; nil where an iPhone would not advertise for them.
  package internal(set) var phone: PhoneAdvertisement?
  /// Whether Handoff is in what the phone sends.
  package internal(set) var hasHandoff = false
  /// What the phone sends of its own while no app advertises; nil where it sends nothing or an app has joined.
  package internal(set) var own: OwnAdvertisement?
  /// Nil where no app's advertisement is on the air.
  package let pace: IntervalKind?
  package let interval: AdvertisingInterval?
  /// The UUIDs that set the bits of the overflow area, each with its app.
  package let overflow: [OverflowEntry]
  package let reasons: [PlanReason]

  package static let silent = silent(because: [])

  /// - Parameter own: what the phone sends all the same.
  static func silent(
    because reasons: [PlanReason], own: OwnAdvertisement? = nil, hasHandoff: Bool = false
  ) -> AdvertisementPlan {
    AdvertisementPlan(
      phone: nil, hasHandoff: hasHandoff, own: own, pace: nil, interval: nil, overflow: [], reasons: reasons)
  }

  /// The plan as it is on the air, with other advertising data; nil for its own.
  package func sending(_ data: AdvertisingData?) -> AdvertisementPlan {
    guard let data, let phone, data != phone.advertisingData else { return self }
    var plan = self
    plan.phone = phone.sending(data)
    return plan
  }

  package var overflowArea: OverflowArea { OverflowArea(overflow.map(\.uuid)) }
}

/// Which of a rule set's two advertising intervals applies (R3).
package enum IntervalKind: String, Hashable, Sendable {
  case foreground
  case background
}

/// What the phone advertises of its own, without an app.
package struct OwnAdvertisement: Hashable, Sendable {
  package let advertisingData: AdvertisingData
  package let interval: AdvertisingInterval
}
