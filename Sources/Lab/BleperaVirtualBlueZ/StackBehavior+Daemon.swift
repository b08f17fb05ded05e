import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
package import BleperaHost

extension StackBehavior {
  /// The behavior of a release of bluetoothd.
  package init(_ behavior: DaemonBehavior) {
    self.init()
    longestWrite = behavior.longestWrite
    longestLongWrite = behavior.longestLongWrite
    fillsPackets = false
    joinsPreparedWrites = true
    respondsForApplications = true
    missingKeyError = .insufficientEncryption
    ignoresEmptyPermissions = true
    (client, pairsUnattended) = (.bluetoothd, false)
    requestTimeout = ProcedureTimeout.application.bluetoothd
    timeoutError = .unlikelyError
    appearance = 0
    hasAddressResolution = behavior.hasAddressResolution
    hasCaching = true
    hasServerFeatures = behavior.has(.opensManyChannels)
    // `usb:v1D6Bp0246d0542`: the Linux Foundation's vendor ID and the release.
    pnpID = [0x02, 0x6B, 0x1D, 0x46, 0x02, UInt8(clamping: behavior.minor), 0x05]
  }
}

extension AdapterDescription {
  /// The adapter with the stack of a release of bluetoothd.
  func behaving(as behavior: DaemonBehavior) -> Self {
    var description = self
    description.stack = StackBehavior(behavior)
    return description
  }
}
