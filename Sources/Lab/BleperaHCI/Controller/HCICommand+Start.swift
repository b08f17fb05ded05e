import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol

/// The commands that a host sends when it starts, and the commands that have no effect on the air.
extension HCICommand {
  static let start: [HCICommand] = [
    HCICommand(.reset, (5, 7)) { controller, _ throws(HCIError) in
      controller.reset()
      return []
    },
    // Bluetooth 5.4, and the company of specifications that have none.
    HCICommand(.readLocalVersionInformation, (14, 3), returns: 8) { _, _ throws(HCIError) in
      [LinkVersion.number, 0, 0, LinkVersion.number] + LittleEndian.bytes(LinkVersion.company) + [0, 0]
    },
    HCICommand(.readLocalSupportedCommands, nil, returns: 64) { controller, _ throws(HCIError) in
      Self.mask(of: controller)
    },
    HCICommand(.readLocalSupportedFeatures, (14, 5), returns: 8) { controller, _ throws(HCIError) in
      LittleEndian.bytes(controller.isDual ? HCIClassic.features : HCIClassic.featuresOfLE)
    },
    HCICommand(.readBDADDR, (15, 1), returns: 6) { controller, _ throws(HCIError) in
      LittleEndian.bytes(controller.address.bits, count: 6)
    },
    HCICommand(.setEventMask, (5, 6)) { controller, fields throws(HCIError) in
      controller.set(eventMask: try fields.uint64())
      return []
    },
    HCICommand(.leSetEventMask, (25, 0)) { controller, fields throws(HCIError) in
      controller.set(leEventMask: try fields.uint64())
      return []
    },
    HCICommand(.leReadBufferSize, (25, 1), returns: 3) { _, _ throws(HCIError) in
      LittleEndian.bytes(UInt16(LinkEvents.longestPDU)) + [UInt8(HCILinks.buffers)]
    },
    HCICommand(.leReadLocalSupportedFeatures, (25, 2), returns: 8) { controller, _ throws(HCIError) in
      LittleEndian.bytes(LinkVersion.features & (controller.isLegacy ? ~LinkVersion.extendedAdvertising : .max))
    },
    HCICommand(.leSetRandomAddress, (25, 4)) { controller, fields throws(HCIError) in
      let address = try fields.address(isRandom: true)
      let legacy = controller.advertiser.legacy
      guard !controller.scanner.isEnabled, legacy?.isEnabled != true, controller.links.attempt == nil else {
        throw .commandDisallowed
      }
      controller.randomAddress = address
      return []
    },
    HCICommand(.leReadFilterAcceptListSize, (26, 6), returns: 1) { _, _ throws(HCIError) in [UInt8(acceptListSize)] },
    HCICommand(.leClearFilterAcceptList, (26, 7)) { controller, _ throws(HCIError) in
      try controller.checkAcceptList()
      controller.acceptList = []
      return []
    },
    HCICommand(.leAddDeviceToFilterAcceptList, (27, 0)) { controller, fields throws(HCIError) in
      let address = try Self.acceptedAddress(&fields)
      try controller.checkAcceptList()
      guard let address else { return [] }
      guard controller.acceptList.contains(address) || controller.acceptList.count < acceptListSize else {
        throw .memoryCapacityExceeded
      }
      controller.acceptList.insert(address)
      return []
    },
    HCICommand(.leRemoveDeviceFromFilterAcceptList, (27, 1)) { controller, fields throws(HCIError) in
      let address = try Self.acceptedAddress(&fields)
      try controller.checkAcceptList()
      if let address { controller.acceptList.remove(address) }
      return []
    },
    // Key, data and result have their least significant octet first, unlike FIPS 197.
    HCICommand(.leEncrypt, (27, 6), returns: 16) { _, fields throws(HCIError) in
      let key = try fields.bytes(16)
      let data = try fields.bytes(16)
      return AES128(key: key.reversed()).encrypt(data.reversed()).reversed()
    },
    HCICommand(.leRand, (27, 7), returns: 8) { controller, _ throws(HCIError) in
      LittleEndian.bytes(controller.random.next())
    },
    HCICommand(.leReadSupportedStates, (28, 3), returns: 8) { _, _ throws(HCIError) in LittleEndian.bytes(Self.states)
    },
  ]

  private static let acceptListSize = 16

  /// The states of the link layer and their pairs, all but those with directed advertising (7.8.27).
  private static let states: UInt64 = [3, 11, 15, 29, 30, 31, 33, 34, 36, 37, 39, 40]
    .reduce((1 << 42) - 1) { $0 & ~(1 << $1) }

  /// Nil for an advertisement without an address, which the air does not have.
  private static func acceptedAddress(_ fields: inout HCIFields) throws(HCIError) -> DeviceAddress? {
    let type = try fields.uint8()
    guard type <= 1 || type == 0xFF else { throw .invalidParameters }
    let address = try fields.address(isRandom: type == 1)
    return type <= 1 ? address : nil
  }
}

extension HCIController {
  /// The list cannot be changed while it is in use (7.8.15).
  func checkAcceptList() throws(HCIError) {
    guard !scanner.isEnabled || !scanner.usesAcceptList, links.attempt?.usesAcceptList != true else {
      throw .commandDisallowed
    }
  }
}
