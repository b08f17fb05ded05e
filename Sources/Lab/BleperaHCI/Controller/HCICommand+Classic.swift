import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// The commands of BR/EDR that Linux sends (Core Specification, Vol 4, Part E, 7.1, 7.3 and 7.4). None has an effect on
/// the air.
extension HCICommand {
  static let classic: [HCICommand] = [
    HCICommand(.inquiry, (0, 0), .classic, isStatus: true) { controller, fields throws(HCIError) in
      _ = try fields.bytes(3)
      let length = try fields.uint8(in: 1...0x30)
      _ = try fields.uint8()
      guard controller.classic.inquiryEnd == nil else { throw .commandDisallowed }
      controller.classic.inquiryEnd = controller.now + .milliseconds(1280) * Int(length)
      return []
    },
    HCICommand(.inquiryCancel, (0, 1), .classic) { controller, _ throws(HCIError) in
      guard controller.classic.inquiryEnd != nil else { throw .commandDisallowed }
      controller.classic.inquiryEnd = nil
      return []
    },
    HCICommand(.createConnection, (0, 4), .classic, isStatus: true) { controller, fields throws(HCIError) in
      let peer = try fields.address(isRandom: false)
      // Packet types, page scan repetition mode, clock offset, role switch.
      _ = try fields.bytes(7)
      try controller.page(peer)
      return []
    },
    HCICommand(.createConnectionCancel, (0, 7), .classic, returns: 6) { controller, fields throws(HCIError) in
      let peer = try fields.address(isRandom: false)
      try controller.endPage(of: peer, .unknownConnection)
      return LittleEndian.bytes(peer.bits, count: 6)
    },
    HCICommand(.setEventFilter, (6, 0), .classic) { _, fields throws(HCIError) in
      _ = try fields.uint8(in: 0...2)
      return []
    },
    write(.writeLocalName, (7, 0), 248, \.name), read(.readLocalName, (7, 1), 248, \.name),
    HCICommand(.writeConnectionAcceptTimeout, (7, 3), .classic) { _, fields throws(HCIError) in
      _ = try fields.uint16()
      return []
    },
    HCICommand(.readPageTimeout, (7, 4), .classic, returns: 2) { controller, _ throws(HCIError) in
      LittleEndian.bytes(controller.classic.pageTimeout)
    },
    HCICommand(.writePageTimeout, (7, 5), .classic) { controller, fields throws(HCIError) in
      let timeout = try fields.uint16()
      guard timeout > 0 else { throw .invalidParameters }
      controller.classic.pageTimeout = timeout
      return []
    },
    HCICommand(.readScanEnable, (7, 6), .classic, returns: 1) { controller, _ throws(HCIError) in
      [controller.classic.scans]
    },
    HCICommand(.writeScanEnable, (7, 7), .classic) { controller, fields throws(HCIError) in
      controller.classic.scans = try fields.uint8(in: 0...3)
      return []
    },
    read(.readPageScanActivity, (8, 0), 4, \.pageScan), write(.writePageScanActivity, (8, 1), 4, \.pageScan),
    read(.readClassOfDevice, (9, 0), 3, \.deviceClass), write(.writeClassOfDevice, (9, 1), 3, \.deviceClass),
    // No voice: CVSD, 16 bits, two's complement, which is the default.
    HCICommand(.readVoiceSetting, (9, 2), .classic, returns: 2) { _, _ throws(HCIError) in [0x60, 0] },
    HCICommand(.readNumberOfSupportedIAC, (11, 2), .classic, returns: 1) { _, _ throws(HCIError) in [1] },
    HCICommand(.readCurrentIACLAP, (11, 3), .classic, returns: 4) { controller, _ throws(HCIError) in
      [1] + controller.classic.accessCode
    },
    HCICommand(.writeCurrentIACLAP, (11, 4), .classic) { controller, fields throws(HCIError) in
      let count = try fields.uint8(in: 1...0x40)
      controller.classic.accessCode = Array(try fields.bytes(3 * Int(count)).prefix(3))
      return []
    },
    HCICommand(.readPageScanType, (13, 0), .classic, returns: 1) { controller, _ throws(HCIError) in
      [controller.classic.pageScanType]
    },
    HCICommand(.writePageScanType, (13, 1), .classic) { controller, fields throws(HCIError) in
      controller.classic.pageScanType = try fields.uint8(in: 0...1)
      return []
    },
    read(.readExtendedInquiryResponse, (17, 0), 241, \.inquiryResponse),
    write(.writeExtendedInquiryResponse, (17, 1), 241, \.inquiryResponse),
    HCICommand(.readSimplePairingMode, (17, 5), .classic, returns: 1) { controller, _ throws(HCIError) in
      [controller.classic.hasSimplePairing ? 1 : 0]
    },
    HCICommand(.writeSimplePairingMode, (17, 6), .classic) { controller, fields throws(HCIError) in
      controller.classic.hasSimplePairing = try fields.flag()
      return []
    },
    // The second octet is unused.
    HCICommand(.readLEHostSupport, (24, 5), .classic, returns: 2) { controller, _ throws(HCIError) in
      [controller.classic.hostHasLE ? 1 : 0, 0]
    },
    HCICommand(.writeLEHostSupport, (24, 6), .classic) { controller, fields throws(HCIError) in
      let hasLE = try fields.flag()
      _ = try fields.uint8()
      controller.classic.hostHasLE = hasLE
      return []
    },
    HCICommand(.readLocalExtendedFeatures, (14, 6), .classic, returns: 10) { controller, fields throws(HCIError) in
      let page = try fields.uint8(in: 0...1)
      return [page, 1] + LittleEndian.bytes(controller.classic.features(page: page))
    },
    // Without synchronous data.
    HCICommand(.readBufferSize, (14, 7), .classic, returns: 7) { _, _ throws(HCIError) in
      LittleEndian.bytes(HCIClassic.buffers.octets) + [0] + LittleEndian.bytes(HCIClassic.buffers.packets) + [0, 0]
    },
  ]

  /// A command that returns octets of the controller's state.
  private static func read(
    _ opcode: HCIOpcode, _ place: (Int, Int), _ count: Int, _ octets: any KeyPath<HCIClassic, [UInt8]> & Sendable
  ) -> HCICommand {
    HCICommand(opcode, place, .classic, returns: count) { controller, _ throws(HCIError) in
      controller.classic[keyPath: octets]
    }
  }

  /// A command that writes octets of the controller's state.
  private static func write(
    _ opcode: HCIOpcode, _ place: (Int, Int), _ count: Int,
    _ octets: any WritableKeyPath<HCIClassic, [UInt8]> & Sendable
  ) -> HCICommand {
    HCICommand(opcode, place, .classic) { controller, fields throws(HCIError) in
      controller.classic[keyPath: octets] = try fields.bytes(count)
      return []
    }
  }
}
