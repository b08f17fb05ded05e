import BleperaBluetooth
import BleperaHCIProtocol

/// Legacy advertising (Core Specification, Vol 4, Part E, 7.8.5 to 7.8.9).
extension HCICommand {
  static let advertising: [HCICommand] = [
    HCICommand(HCI.leSetAdvertisingParameters, .legacy) { controller, new throws(HCIError) in
      var set = controller.advertiser.legacy ?? HCIAdvertisingSet()
      guard !set.isEnabled else { throw .commandDisallowed }
      // Directed advertising and filters of hosts are not emulated.
      guard new.type != 1, new.type != 4, new.policy == 0 else { throw .unsupportedFeature }
      guard new.least <= new.most, (0x20...0x4000).contains(new.least), new.most <= 0x4000 else {
        throw .invalidParameters
      }
      set.parameters = HCIAdvertisingSet.Parameters(
        isConnectable: new.type == 0, isScannable: new.type != 3, interval: .microseconds(Int(new.least) * 625),
        ownType: new.ownType, peer: new.peer)
      controller.advertiser.sets[HCIAdvertiser.legacyHandle] = set
    },
    HCICommand(returning: HCI.leReadAdvertisingPhysicalChannelTxPower, .legacy) { _, _ in HCINumber(0) },
    HCICommand(HCI.leSetAdvertisingData, .legacy) { controller, new throws(HCIError) in
      try controller.changeLegacySet { $0.data = new.data }
    },
    HCICommand(HCI.leSetScanResponseData, .legacy) { controller, new throws(HCIError) in
      try controller.changeLegacySet { $0.scanResponse = new.data }
    },
    HCICommand(HCI.leSetAdvertisingEnable, .legacy) { controller, advertising throws(HCIError) in
      guard advertising.isOn else { return controller.withdraw(HCIAdvertiser.legacyHandle) }
      if controller.advertiser.legacy == nil {
        controller.advertiser.sets[HCIAdvertiser.legacyHandle] = HCIAdvertisingSet()
      }
      let isOn = controller.advertiser.legacy?.isEnabled == true
      try isOn ? controller.refresh(HCIAdvertiser.legacyHandle) : controller.advertise(HCIAdvertiser.legacyHandle)
    },
  ]
}

extension HCIController {
  fileprivate mutating func changeLegacySet(_ change: (inout HCIAdvertisingSet) -> Void) throws(HCIError) {
    change(&advertiser.sets[HCIAdvertiser.legacyHandle, default: HCIAdvertisingSet()])
    try refresh(HCIAdvertiser.legacyHandle)
  }
}
