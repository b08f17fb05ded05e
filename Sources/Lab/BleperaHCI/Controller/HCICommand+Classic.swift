import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// The commands of BR/EDR that Linux sends. None has an effect on the air.
extension HCICommand {
  static let classic: [HCICommand] = [
    HCICommand(HCI.inquiry, .classic) { controller, inquiry throws(HCIError) in
      guard controller.classic.inquiryEnd == nil else { throw .commandDisallowed }
      controller.classic.inquiryEnd = controller.now + .milliseconds(1280) * Int(inquiry.length)
    },
    HCICommand(HCI.inquiryCancel, .classic) { controller, _ throws(HCIError) in
      guard controller.classic.inquiryEnd != nil else { throw .commandDisallowed }
      controller.classic.inquiryEnd = nil
    },
    HCICommand(HCI.createConnection, .classic) { controller, page throws(HCIError) in
      try controller.page(page.peer.address)
    },
    HCICommand(returning: HCI.createConnectionCancel, .classic) { controller, peer throws(HCIError) in
      try controller.endPage(of: peer.address, .unknownConnection)
      return peer
    },
    HCICommand(HCI.setEventFilter, .classic) { _, type throws(HCIError) in
      guard type.value <= 2 else { throw .invalidParameters }
    },
    write(HCI.writeLocalName, \.name), read(HCI.readLocalName, \.name),
    HCICommand(HCI.writeConnectionAcceptTimeout, .classic) { _, _ in },
    HCICommand(returning: HCI.readPageTimeout, .classic) { controller, _ in HCINumber(controller.classic.pageTimeout) },
    HCICommand(HCI.writePageTimeout, .classic) { controller, timeout throws(HCIError) in
      guard timeout.value > 0 else { throw .invalidParameters }
      controller.classic.pageTimeout = timeout.value
    },
    HCICommand(returning: HCI.readScanEnable, .classic) { controller, _ in HCINumber(controller.classic.scans) },
    HCICommand(HCI.writeScanEnable, .classic) { controller, scans throws(HCIError) in
      guard scans.value <= 3 else { throw .invalidParameters }
      controller.classic.scans = scans.value
    },
    read(HCI.readPageScanActivity, \.pageScan), write(HCI.writePageScanActivity, \.pageScan),
    read(HCI.readClassOfDevice, \.deviceClass), write(HCI.writeClassOfDevice, \.deviceClass),
    // No voice: CVSD, 16 bits, two's complement, which is the default.
    HCICommand(returning: HCI.readVoiceSetting, .classic) { _, _ in HCINumber(0x60) },
    HCICommand(returning: HCI.readNumberOfSupportedIAC, .classic) { _, _ in HCINumber(1) },
    HCICommand(returning: HCI.readCurrentIACLAP, .classic) { controller, _ in
      HCIAccessCodes(code: controller.classic.accessCode)
    },
    HCICommand(HCI.writeCurrentIACLAP, .classic) { controller, new in
      controller.classic.accessCode = new.codes[0].octets
    },
    HCICommand(returning: HCI.readPageScanType, .classic) { controller, _ in HCINumber(controller.classic.pageScanType)
    },
    HCICommand(HCI.writePageScanType, .classic) { controller, type throws(HCIError) in
      guard type.value <= 1 else { throw .invalidParameters }
      controller.classic.pageScanType = type.value
    },
    read(HCI.readExtendedInquiryResponse, \.inquiryResponse),
    write(HCI.writeExtendedInquiryResponse, \.inquiryResponse),
    HCICommand(returning: HCI.readSimplePairingMode, .classic) { controller, _ in
      HCIFlag(controller.classic.hasSimplePairing)
    },
    HCICommand(HCI.writeSimplePairingMode, .classic) { controller, mode in
      controller.classic.hasSimplePairing = mode.isOn
    },
    HCICommand(returning: HCI.readLEHostSupport, .classic) { controller, _ in
      HCILEHostSupport(controller.classic.hostHasLE)
    },
    HCICommand(HCI.writeLEHostSupport, .classic) { controller, support in
      controller.classic.hostHasLE = support.isOn
    },
    HCICommand(returning: HCI.readLocalExtendedFeatures, .classic) { controller, page throws(HCIError) in
      guard page.value <= 1 else { throw .invalidParameters }
      return HCIExtendedFeatures(page.value, controller.classic.features(page: page.value))
    },
    HCICommand(returning: HCI.readBufferSize, .classic) { _, _ in HCIClassic.buffers },
  ]

  /// A command that returns octets of the controller's state.
  private static func read<let length: Int>(
    _ type: HCI.Read<HCIFixed<length>>, _ octets: any KeyPath<HCIClassic, [UInt8]> & Sendable
  ) -> HCICommand {
    HCICommand(returning: type, .classic) { controller, _ in HCIFixed(octets: controller.classic[keyPath: octets]) }
  }

  /// A command that writes octets of the controller's state.
  private static func write<let length: Int>(
    _ type: HCI.Simple<HCIFixed<length>>, _ octets: any WritableKeyPath<HCIClassic, [UInt8]> & Sendable
  ) -> HCICommand {
    HCICommand(type, .classic) { controller, new in controller.classic[keyPath: octets] = new.octets }
  }
}
