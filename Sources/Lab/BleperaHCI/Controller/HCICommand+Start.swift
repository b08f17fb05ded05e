import BleperaAir
import BleperaBluetooth
import BleperaHCIProtocol

/// The commands that a host sends when it starts, and the commands that have no effect on the air.
extension HCICommand {
  static let start: [HCICommand] = [
    HCICommand(HCI.reset) { controller, _ in controller.reset() },
    HCICommand(returning: HCI.readLocalVersionInformation) { _, _ in
      HCIVersion(LinkVersion.number, company: LinkVersion.company)
    },
    HCICommand(returning: HCI.readLocalSupportedCommands) { controller, _ in
      HCICommandMask(octets: mask(of: controller))
    },
    HCICommand(returning: HCI.readLocalSupportedFeatures) { controller, _ in
      HCINumber(controller.isDual ? HCIClassic.features : HCIClassic.featuresOfLE)
    },
    HCICommand(returning: HCI.readBDADDR) { controller, _ in HCIPublicAddress(controller.address) },
    HCICommand(HCI.setEventMask) { controller, mask in controller.set(eventMask: mask.value) },
    HCICommand(HCI.leSetEventMask) { controller, mask in controller.set(leEventMask: mask.value) },
    HCICommand(returning: HCI.leReadBufferSize) { _, _ in
      HCIBufferSize(length: UInt16(LinkEvents.longestPDU), packets: UInt8(HCILinks.buffers))
    },
    HCICommand(returning: HCI.leReadLocalSupportedFeatures) { controller, _ in
      HCINumber(LinkVersion.features & (controller.isLegacy ? ~LinkVersion.extendedAdvertising : .max))
    },
    HCICommand(HCI.leSetRandomAddress) { controller, random throws(HCIError) in
      let legacy = controller.advertiser.legacy
      guard !controller.scanner.isEnabled, legacy?.isEnabled != true, controller.links.attempt == nil else {
        throw .commandDisallowed
      }
      controller.randomAddress = random.address
    },
    HCICommand(returning: HCI.leReadFilterAcceptListSize) { _, _ in HCINumber(UInt8(acceptListSize)) },
    HCICommand(HCI.leClearFilterAcceptList) { controller, _ throws(HCIError) in
      try controller.checkAcceptList()
      controller.acceptList = []
    },
    HCICommand(HCI.leAddDeviceToFilterAcceptList) { controller, entry throws(HCIError) in
      try controller.checkAcceptList()
      // The air has no advertisements without an address.
      guard let address = entry.address else { return }
      guard controller.acceptList.contains(address) || controller.acceptList.count < acceptListSize else {
        throw .memoryCapacityExceeded
      }
      controller.acceptList.insert(address)
    },
    HCICommand(HCI.leRemoveDeviceFromFilterAcceptList) { controller, entry throws(HCIError) in
      try controller.checkAcceptList()
      if let address = entry.address { controller.acceptList.remove(address) }
    },
    HCICommand(returning: HCI.leEncrypt) { _, input in
      HCIBlock(octets: AES128(key: input.key.octets.reversed()).encrypt(input.block.octets.reversed()).reversed())
    },
    HCICommand(returning: HCI.leRand) { controller, _ in HCINumber(controller.random.next()) },
    HCICommand(returning: HCI.leReadSupportedStates) { _, _ in HCINumber(states) },
  ]

  private static let acceptListSize = 16

  /// The states of the link layer and their pairs, all but those with directed advertising (7.8.27).
  private static let states: UInt64 = [3, 11, 15, 29, 30, 31, 33, 34, 36, 37, 39, 40]
    .reduce((1 << 42) - 1) { $0 & ~(1 << $1) }
}

extension HCIController {
  /// The list cannot be changed while it is in use (7.8.15).
  func checkAcceptList() throws(HCIError) {
    guard !scanner.isEnabled || !scanner.usesAcceptList, links.attempt?.usesAcceptList != true else {
      throw .commandDisallowed
    }
  }
}
