package import BleperaBluetooth

/// The advertisement of the phone for all apps together, and the reasons for it.
package struct AdvertisementPlan: Hashable, Sendable {
  /// The packets for the apps; nil where an iPhone would not advertise for them.
  package internal(set) var phone: PhoneAdvertisement?
  /// Whether the phone sends Handoff.
  package internal(set) var hasHandoff = false
  /// The phone's own packet while no app advertises; nil where the phone sends nothing or an app has joined.
  package internal(set) var own: OwnAdvertisement?
  /// Nil where no app's advertisement is on the air.
  package let intervalKind: IntervalKind?
  package let interval: AdvertisingInterval?
  /// The UUIDs that set the bits of the overflow area, each with its app.
  package let overflow: [OverflowEntry]
  package let reasons: [PlanReason]

  package static let silent = silent(because: [])

  /// - Parameter own: the advertisement that the phone sends all the same.
  static func silent(
    because reasons: [PlanReason], own: OwnAdvertisement? = nil, hasHandoff: Bool = false
  ) -> AdvertisementPlan {
    AdvertisementPlan(
      phone: nil, hasHandoff: hasHandoff, own: own, intervalKind: nil, interval: nil, overflow: [], reasons: reasons)
  }

  /// The plan as it is on the air, with the packets that a radio sends in place of an iPhone's.
  package func sending(_ data: AdvertisingData, _ response: AdvertisingData) -> AdvertisementPlan {
    var plan = self
    plan.phone?.advertisingData = data
    plan.phone?.scanResponse = response
    return plan
  }

  package var overflowArea: OverflowArea { OverflowArea(overflow.map(\.uuid)) }
}

/// The choice between a rule set's two advertising intervals (R3).
package enum IntervalKind: String, Hashable, Sendable {
  case foreground
  case background
}

/// The advertisement that the phone sends of its own, without an app.
package struct OwnAdvertisement: Hashable, Sendable {
  package let advertisingData: AdvertisingData
  package let interval: AdvertisingInterval
}

/// The packets that an iPhone would send.
package struct PhoneAdvertisement: Hashable, Sendable {
  /// The payload of ADV_IND, at most 31 bytes.
  package fileprivate(set) var advertisingData: AdvertisingData
  /// The payload of SCAN_RSP, at most 31 bytes.
  package fileprivate(set) var scanResponse: AdvertisingData
  /// Bytes that the apps' UUIDs and name take of `RuleSet.foregroundBudget`.
  package let budgetUsed: Int
  /// Bytes that the name takes of `nameBudget`.
  package let nameBudgetUsed: Int
  /// Bytes of the scan response that the name may take.
  package let nameBudget: Int
}

extension PhoneAdvertisement {
  /// The content of both packets together, decoded at each call.
  package var content: AdvertisedContent {
    AdvertisedContent(advertisingData.structures + scanResponse.structures)
  }

  /// The local name on the air, whole or shortened; nil where no name is on the air.
  package var localName: String? { content.name }

  /// The service UUIDs in the lists, in the order of the packet.
  package var serviceUUIDs: [BluetoothUUID] { content.serviceUUIDs }
}

/// A service UUID in the overflow area, and the app that advertises it.
package struct OverflowEntry: Hashable, Sendable {
  package let app: AppID
  package let uuid: BluetoothUUID

  /// 0 to 127.
  package var bit: Int { OverflowArea.bit(of: uuid) }
}

/// The choice of the service UUIDs that an iPhone moves to the overflow area when there is no room for all.
package enum OverflowOrder: String, Hashable, CaseIterable, Sendable {
  /// Lists each UUID that still fits, in the requested order; a UUID that does not fit leaves room for shorter ones.
  case firstFit
}
