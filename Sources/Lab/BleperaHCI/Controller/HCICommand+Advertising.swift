import BleperaBluetooth
import BleperaHCIProtocol

/// Legacy advertising (Core Specification, Vol 4, Part E, 7.8.5 to 7.8.9).
extension HCICommand {
  static let advertising: [HCICommand] = [
    HCICommand(.leSetAdvertisingParameters, (25, 5), .legacy) { controller, fields throws(HCIError) in
      let (least, most) = (try fields.uint16(), try fields.uint16())
      let type = try fields.uint8(in: 0...4)
      let ownType = try fields.uint8(in: 0...3)
      let peer = try fields.typedAddress()
      _ = try fields.uint8(in: 1...7)
      let policy = try fields.uint8(in: 0...3)
      var set = controller.advertiser.legacy ?? HCIAdvertisingSet()
      guard !set.isEnabled else { throw .commandDisallowed }
      // Directed advertising and filters of hosts are not emulated.
      guard type != 1, type != 4, policy == 0 else { throw .unsupportedFeature }
      guard least <= most, (0x20...0x4000).contains(least), most <= 0x4000 else { throw .invalidParameters }
      set.parameters = HCIAdvertisingSet.Parameters(
        isConnectable: type == 0, isScannable: type != 3, interval: .microseconds(Int(least) * 625), ownType: ownType,
        peer: peer)
      controller.advertiser.sets[HCIAdvertiser.legacyHandle] = set
      return []
    },
    HCICommand(.leReadAdvertisingPhysicalChannelTxPower, (25, 6), .legacy, returns: 1) { _, _ throws(HCIError) in [0] },
    HCICommand(.leSetAdvertisingData, (25, 7), .legacy) { controller, fields throws(HCIError) in
      let data = try Self.legacyData(&fields)
      try controller.changeLegacySet { $0.data = data }
      return []
    },
    HCICommand(.leSetScanResponseData, (26, 0), .legacy) { controller, fields throws(HCIError) in
      let data = try Self.legacyData(&fields)
      try controller.changeLegacySet { $0.scanResponse = data }
      return []
    },
    HCICommand(.leSetAdvertisingEnable, (26, 1), .legacy) { controller, fields throws(HCIError) in
      if try fields.flag() {
        if controller.advertiser.legacy == nil {
          controller.advertiser.sets[HCIAdvertiser.legacyHandle] = HCIAdvertisingSet()
        }
        let isOn = controller.advertiser.legacy?.isEnabled == true
        try isOn ? controller.refresh(HCIAdvertiser.legacyHandle) : controller.advertise(HCIAdvertiser.legacyHandle)
      } else {
        controller.withdraw(HCIAdvertiser.legacyHandle)
      }
      return []
    },
  ]

  /// A length and 31 octets, of which the first ones are data.
  private static func legacyData(_ fields: inout HCIFields) throws(HCIError) -> [UInt8] {
    let length = Int(try fields.uint8(in: 0...UInt8(HCIAdvertisingSet.longestLegacy)))
    return Array(try fields.bytes(HCIAdvertisingSet.longestLegacy).prefix(length))
  }
}

extension HCIController {
  fileprivate mutating func changeLegacySet(_ change: (inout HCIAdvertisingSet) -> Void) throws(HCIError) {
    change(&advertiser.sets[HCIAdvertiser.legacyHandle, default: HCIAdvertisingSet()])
    try refresh(HCIAdvertiser.legacyHandle)
  }
}
