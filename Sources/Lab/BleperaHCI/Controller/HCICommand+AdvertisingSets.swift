import BleperaBluetooth
import BleperaHCIProtocol

/// Advertising sets (Core Specification, Vol 4, Part E, 7.8.52 to 7.8.60).
extension HCICommand {
  static let extendedAdvertising: [HCICommand] = [
    // Both kinds of hosts may send it.
    HCICommand(.leSetAdvertisingSetRandomAddress, (36, 1), .extended, isExclusive: false) {
      controller, fields throws(HCIError) in
      let handle = try fields.uint8(in: 0...0xEF)
      let address = try fields.address(isRandom: true)
      let set = try controller.set(handle)
      guard !set.isEnabled || !set.parameters.isConnectable else { throw .commandDisallowed }
      controller.advertiser.sets[handle]?.randomAddress = address
      try controller.refresh(handle)
      return []
    },
    HCICommand(.leSetExtendedAdvertisingParameters, (36, 2), .extended, returns: 1) {
      controller, fields throws(HCIError) in
      let handle = try fields.uint8(in: 0...0xEF)
      let parameters = try HCIAdvertisingSet.Parameters(&fields)
      let sets = controller.advertiser.sets
      guard sets[handle] != nil || sets.count < HCIAdvertiser.limit else { throw .memoryCapacityExceeded }
      var set = sets[handle] ?? HCIAdvertisingSet()
      guard !set.isEnabled else { throw .commandDisallowed }
      set.parameters = parameters
      guard set.hasValidData else { throw .invalidParameters }
      controller.advertiser.sets[handle] = set
      return [0]
    },
    HCICommand(.leSetExtendedAdvertisingData, (36, 3), .extended) { controller, fields throws(HCIError) in
      try controller.setData(&fields, \.data)
      return []
    },
    HCICommand(.leSetExtendedScanResponseData, (36, 4), .extended) { controller, fields throws(HCIError) in
      try controller.setData(&fields, \.scanResponse)
      return []
    },
    HCICommand(.leSetExtendedAdvertisingEnable, (36, 5), .extended) { controller, fields throws(HCIError) in
      let isEnabled = try fields.flag()
      let count = try fields.uint8()
      var sets: [(handle: UInt8, lifetime: Duration?, events: Int?)] = []
      for _ in 0..<count {
        let handle = try fields.uint8(in: 0...0xEF)
        let (duration, events) = (try fields.uint16(), try fields.uint8())
        guard !sets.contains(where: { $0.handle == handle }) else { throw .invalidParameters }
        sets.append(
          (handle, duration == 0 ? nil : .milliseconds(Int(duration) * 10), events == 0 ? nil : Int(events)))
      }
      guard isEnabled else {
        if sets.isEmpty { sets = controller.advertiser.sets.keys.sorted().map { ($0, nil, nil) } }
        for set in sets { _ = try controller.set(set.handle) }
        for set in sets { controller.withdraw(set.handle) }
        return []
      }
      guard !sets.isEmpty else { throw .invalidParameters }
      // All sets or none.
      for set in sets {
        let known = try controller.set(set.handle)
        _ = try controller.ownAddress(
          known.parameters.ownType, known.randomAddress, towards: known.parameters.peer)
      }
      for set in sets { try controller.advertise(set.handle, lifetime: set.lifetime, events: set.events) }
      return []
    },
    HCICommand(.leReadMaximumAdvertisingDataLength, (36, 6), .extended, returns: 2) { _, _ throws(HCIError) in
      LittleEndian.bytes(UInt16(HCIAdvertisingSet.longestExtended))
    },
    HCICommand(.leReadNumberOfSupportedAdvertisingSets, (36, 7), .extended, returns: 1) { _, _ throws(HCIError) in
      [UInt8(HCIAdvertiser.limit)]
    },
    HCICommand(.leRemoveAdvertisingSet, (37, 0), .extended) { controller, fields throws(HCIError) in
      let handle = try fields.uint8(in: 0...0xEF)
      guard try !controller.set(handle).isEnabled else { throw .commandDisallowed }
      controller.advertiser.sets[handle] = nil
      return []
    },
    HCICommand(.leClearAdvertisingSets, (37, 1), .extended) { controller, _ throws(HCIError) in
      guard !controller.advertiser.sets.values.contains(where: \.isEnabled) else { throw .commandDisallowed }
      controller.advertiser.sets = [:]
      return []
    },
  ]
}

extension HCIAdvertisingSet.Parameters {
  /// The bits of the event properties (7.8.53).
  private enum Property {
    static let connectable: UInt16 = 1 << 0
    static let scannable: UInt16 = 1 << 1
    static let directed: UInt16 = 1 << 2
    static let highDuty: UInt16 = 1 << 3
    static let legacy: UInt16 = 1 << 4
    static let anonymous: UInt16 = 1 << 5
    static let power: UInt16 = 1 << 6
  }

  /// The parameters of LE Set Extended Advertising Parameters after the handle.
  fileprivate init(_ fields: inout HCIFields) throws(HCIError) {
    let properties = try fields.uint16()
    let (least, most) = (try fields.uint24(), try fields.uint24())
    _ = try fields.uint8(in: 1...7)
    ownType = try fields.uint8(in: 0...3)
    peer = try fields.typedAddress()
    let policy = try fields.uint8(in: 0...3)
    // The power, which the air does not have.
    _ = try fields.uint8()
    let primary = try fields.uint8()
    _ = try fields.uint8()
    let secondary = try fields.uint8()
    _ = try fields.uint8(in: 0...0x0F)
    let isNotified = try fields.flag()
    isConnectable = properties & Property.connectable != 0
    isScannable = properties & Property.scannable != 0
    isExtended = properties & Property.legacy == 0
    interval = .microseconds(least * 625)
    guard least <= most, least >= 0x20 else { throw .invalidParameters }
    // Directed and anonymous advertising, TX power, other PHYs, reports of requests and filters are not emulated.
    let unsupported = Property.directed | Property.highDuty | Property.anonymous | Property.power
    guard properties & unsupported == 0, policy == 0, primary == 1, secondary <= 2, !isNotified else {
      throw .unsupportedFeature
    }
    let isValid =
      isExtended
      ? !(isConnectable && isScannable)
      : [0b1_0011, 0b1_0010, 0b1_0000].contains(properties)
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
    _ fields: inout HCIFields, _ path: WritableKeyPath<HCIAdvertisingSet, [UInt8]>
  ) throws(HCIError) {
    let handle = try fields.uint8(in: 0...0xEF)
    let operation = try fields.uint8(in: 0...4)
    _ = try fields.flag()
    let data = try fields.data()
    var set = try set(handle)
    let isWhole = operation == 3
    guard isWhole || operation == 4 || set.parameters.isExtended else { throw .invalidParameters }
    guard isWhole || !set.isEnabled || operation == 4 else { throw .commandDisallowed }
    switch operation {
    // The data is unchanged; only its identifier is new.
    case 4:
      guard set.isEnabled, set.parameters.isExtended, data.isEmpty, !set[keyPath: path].isEmpty else {
        throw .invalidParameters
      }
    case 1, 3: set[keyPath: path] = data
    default: set[keyPath: path] += data
    }
    guard set.hasValidData else { throw .invalidParameters }
    advertiser.sets[handle] = set
    try refresh(handle)
  }
}
