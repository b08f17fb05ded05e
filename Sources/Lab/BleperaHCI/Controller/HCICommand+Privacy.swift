import BleperaBluetooth
import BleperaHCIProtocol

/// The resolving list (Core Specification, Vol 4, Part E, 7.8.38 to 7.8.45 and 7.8.77).
extension HCICommand {
  static let privacy: [HCICommand] = [
    HCICommand(HCI.leAddDeviceToResolvingList) { controller, entry throws(HCIError) in
      try controller.checkResolver()
      guard controller.resolver.index(of: entry.identity) == nil else { throw .invalidParameters }
      guard controller.resolver.entries.count < HCIResolver.limit else { throw .memoryCapacityExceeded }
      controller.resolver.entries.append(
        HCIResolver.Entry(identity: entry.identity, peerKey: key(entry.peerKey), ownKey: key(entry.ownKey)))
    },
    HCICommand(HCI.leRemoveDeviceFromResolvingList) { controller, identity throws(HCIError) in
      try controller.checkResolver()
      controller.resolver.entries.remove(at: try controller.entry(of: identity.address))
    },
    HCICommand(HCI.leClearResolvingList) { controller, _ throws(HCIError) in
      try controller.checkResolver()
      controller.resolver.entries = []
    },
    HCICommand(returning: HCI.leReadResolvingListSize) { _, _ in HCINumber(UInt8(HCIResolver.limit)) },
    HCICommand(HCI.leSetAddressResolutionEnable) { controller, resolution throws(HCIError) in
      try controller.checkResolver(isChange: true)
      controller.resolver.isEnabled = resolution.isOn
    },
    HCICommand(HCI.leSetResolvablePrivateAddressTimeout) { controller, seconds throws(HCIError) in
      guard (1...3600).contains(seconds.value) else { throw .invalidParameters }
      let timeout = Duration.seconds(Int(seconds.value))
      controller.resolver.timeout = timeout
      if controller.resolver.deadline != nil { controller.resolver.deadline = controller.now + timeout }
    },
    HCICommand(HCI.leSetPrivacyMode) { controller, mode throws(HCIError) in
      try controller.checkResolver()
      controller.resolver.entries[try controller.entry(of: mode.identity)].isDeviceMode = mode.isDeviceMode
    },
  ]

  /// Nil for a key of zeros.
  private static func key(_ number: UInt128) -> IdentityResolvingKey? {
    number == 0 ? nil : IdentityResolvingKey(LittleEndian.bytes(number).reversed())
  }
}

extension HCIController {
  fileprivate func entry(of identity: DeviceAddress) throws(HCIError) -> Int {
    guard let index = resolver.index(of: identity) else { throw .unknownConnection }
    return index
  }
}
