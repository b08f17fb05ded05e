import BleperaBluetooth
import BleperaHCIProtocol

/// The resolving list (Core Specification, Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
extension HCICommand {
  static let privacy: [HCICommand] = [
    HCICommand(.leAddDeviceToResolvingList, (34, 3)) { controller, fields throws(HCIError) in
      let identity = try fields.typedAddress()
      let (peerKey, ownKey) = (try Self.key(&fields), try Self.key(&fields))
      try controller.checkResolver()
      guard controller.resolver.index(of: identity) == nil else { throw .invalidParameters }
      guard controller.resolver.entries.count < HCIResolver.limit else { throw .memoryCapacityExceeded }
      controller.resolver.entries.append(HCIResolver.Entry(identity: identity, peerKey: peerKey, ownKey: ownKey))
      return []
    },
    HCICommand(.leRemoveDeviceFromResolvingList, (34, 4)) { controller, fields throws(HCIError) in
      let identity = try fields.typedAddress()
      try controller.checkResolver()
      controller.resolver.entries.remove(at: try controller.entry(of: identity))
      return []
    },
    HCICommand(.leClearResolvingList, (34, 5)) { controller, _ throws(HCIError) in
      try controller.checkResolver()
      controller.resolver.entries = []
      return []
    },
    HCICommand(.leReadResolvingListSize, (34, 6), returns: 1) { _, _ throws(HCIError) in [UInt8(HCIResolver.limit)] },
    HCICommand(.leSetAddressResolutionEnable, (35, 1)) { controller, fields throws(HCIError) in
      let isEnabled = try fields.flag()
      try controller.checkResolver(isChange: true)
      controller.resolver.isEnabled = isEnabled
      return []
    },
    HCICommand(.leSetResolvablePrivateAddressTimeout, (35, 2)) { controller, fields throws(HCIError) in
      let seconds = try fields.uint16()
      guard (1...3600).contains(seconds) else { throw .invalidParameters }
      controller.resolver.timeout = .seconds(Int(seconds))
      if controller.resolver.deadline != nil { controller.resolver.deadline = controller.now + .seconds(Int(seconds)) }
      return []
    },
    HCICommand(.leSetPrivacyMode, (39, 2)) { controller, fields throws(HCIError) in
      let identity = try fields.typedAddress()
      let isDeviceMode = try fields.flag()
      try controller.checkResolver()
      controller.resolver.entries[try controller.entry(of: identity)].isDeviceMode = isDeviceMode
      return []
    },
  ]

  /// The least significant octet first; nil for a key of zeros.
  private static func key(_ fields: inout HCIFields) throws(HCIError) -> IdentityResolvingKey? {
    let bytes = try fields.bytes(16)
    return bytes.allSatisfy { $0 == 0 } ? nil : IdentityResolvingKey(bytes.reversed())
  }
}

extension HCIController {
  fileprivate func entry(of identity: DeviceAddress) throws(HCIError) -> Int {
    guard let index = resolver.index(of: identity) else { throw .unknownConnection }
    return index
  }
}
