import BleperaBluetooth
import BleperaHCIProtocol

/// Advertising sets (Core Specification, Vol 4, Part E, 7.8.52 to 7.8.60).
extension HCICommand {
  static let extendedAdvertising: [HCICommand] = [
    // Both kinds of hosts may send it.
    HCICommand(HCI.leSetAdvertisingSetRandomAddress, .extended, isExclusive: false) {
      controller, new throws(HCIError) in
      let set = try controller.set(new.set)
      guard !set.isEnabled || !set.parameters.isConnectable else { throw .commandDisallowed }
      controller.advertiser.sets[new.set]?.randomAddress = new.address
      try controller.refresh(new.set)
    },
    HCICommand(returning: HCI.leSetExtendedAdvertisingParameters, .extended) { controller, new throws(HCIError) in
      let parameters = try HCIAdvertisingSet.Parameters(new)
      let sets = controller.advertiser.sets
      guard sets[new.set] != nil || sets.count < HCIAdvertiser.limit else { throw .memoryCapacityExceeded }
      var set = sets[new.set] ?? HCIAdvertisingSet()
      guard !set.isEnabled else { throw .commandDisallowed }
      set.parameters = parameters
      guard set.hasValidData else { throw .invalidParameters }
      controller.advertiser.sets[new.set] = set
      return HCINumber(0)
    },
    HCICommand(HCI.leSetExtendedAdvertisingData, .extended) { controller, new throws(HCIError) in
      try controller.setData(new, \.data)
    },
    HCICommand(HCI.leSetExtendedScanResponseData, .extended) { controller, new throws(HCIError) in
      try controller.setData(new, \.scanResponse)
    },
    HCICommand(HCI.leSetExtendedAdvertisingEnable, .extended) { controller, enable throws(HCIError) in
      var sets = enable.sets
      guard Set(sets.map(\.set)).count == sets.count else { throw .invalidParameters }
      guard enable.isOn else {
        if sets.isEmpty { sets = controller.advertiser.sets.keys.sorted().map { HCISetsEnable.Entry($0) } }
        for entry in sets { _ = try controller.set(entry.set) }
        for entry in sets { controller.withdraw(entry.set) }
        return
      }
      guard !sets.isEmpty else { throw .invalidParameters }
      // All sets or none.
      for entry in sets {
        let known = try controller.set(entry.set)
        _ = try controller.ownAddress(
          known.parameters.ownType, known.randomAddress, towards: known.parameters.peer)
      }
      for entry in sets {
        try controller.advertise(
          entry.set, lifetime: entry.duration == 0 ? nil : .milliseconds(Int(entry.duration) * 10),
          events: entry.events == 0 ? nil : Int(entry.events))
      }
    },
    HCICommand(returning: HCI.leReadMaximumAdvertisingDataLength, .extended) { _, _ in
      HCINumber(UInt16(HCIAdvertisingSet.longestExtended))
    },
    HCICommand(returning: HCI.leReadNumberOfSupportedAdvertisingSets, .extended) { _, _ in
      HCINumber(UInt8(HCIAdvertiser.limit))
    },
    HCICommand(HCI.leRemoveAdvertisingSet, .extended) { controller, handle throws(HCIError) in
      guard handle.value <= 0xEF else { throw .invalidParameters }
      guard try !controller.set(handle.value).isEnabled else { throw .commandDisallowed }
      controller.advertiser.sets[handle.value] = nil
    },
    HCICommand(HCI.leClearAdvertisingSets, .extended) { controller, _ throws(HCIError) in
      guard !controller.advertiser.sets.values.contains(where: \.isEnabled) else { throw .commandDisallowed }
      controller.advertiser.sets = [:]
    },
  ]
}

extension HCIAdvertisingSet.Parameters {
  fileprivate init(_ new: HCISetParameters) throws(HCIError) {
    (ownType, peer, interval) = (new.ownType, new.peer, .microseconds(new.least * 625))
    isConnectable = new.properties.contains(.connectable)
    isScannable = new.properties.contains(.scannable)
    isExtended = !new.properties.contains(.legacy)
    guard new.least <= new.most, new.least >= 0x20 else { throw .invalidParameters }
    // Directed and anonymous advertising, TX power, other PHYs, reports of requests and filters are not emulated.
    guard new.properties.isDisjoint(with: [.directed, .highDuty, .anonymous, .power]), new.policy == 0,
      new.primary == 1, new.secondary <= 2, !new.isNotified
    else { throw .unsupportedFeature }
    let isValid =
      isExtended
      ? !(isConnectable && isScannable)
      : [[.connectable, .scannable, .legacy], [.scannable, .legacy], .legacy].contains(new.properties)
    guard isValid else { throw .invalidParameters }
  }
}

extension HCIController {
  func set(_ handle: UInt8) throws(HCIError) -> HCIAdvertisingSet {
    guard let set = advertiser.sets[handle] else { throw .unknownAdvertisingSet }
    return set
  }

  /// Whole data, or a fragment of it (7.8.54).
  fileprivate mutating func setData(
    _ new: HCISetData, _ path: WritableKeyPath<HCIAdvertisingSet, [UInt8]>
  ) throws(HCIError) {
    var set = try set(new.set)
    let isWhole = new.operation == 3
    guard isWhole || new.operation == 4 || set.parameters.isExtended else { throw .invalidParameters }
    guard isWhole || !set.isEnabled || new.operation == 4 else { throw .commandDisallowed }
    switch new.operation {
    // The data is unchanged; only its identifier is new.
    case 4:
      guard set.isEnabled, set.parameters.isExtended, new.data.isEmpty, !set[keyPath: path].isEmpty else {
        throw .invalidParameters
      }
    case 1, 3: set[keyPath: path] = new.data
    default: set[keyPath: path] += new.data
    }
    guard set.hasValidData else { throw .invalidParameters }
    advertiser.sets[new.set] = set
    try refresh(new.set)
  }
}
