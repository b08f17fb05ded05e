package import BleperaAir
package import BleperaBluetooth
import BleperaHost
package import BleperaPhone
import BleperaRules

extension AdapterDescription {
  /// The adapter of an iPhone.
  package init(_ phone: PhoneSettings, address: DeviceAddress) {
    let rules = phone.rules
    let mtu = phone.mtu ?? rules.offeredMTU(overDataLength: rules.dataLength.value)
    self.init(
      address: address, addressRotation: phone.usesPublicAddress ? nil : rules.addressRotation.value,
      advertisingDelay: rules.advertisingDelay.value, name: phone.deviceName, mtu: mtu)
    dataLength = rules.dataLength.value
    let short = phone.mtu ?? rules.offeredMTU(overDataLength: DataLength.range.lowerBound)
    if short < mtu { stack.shortPacketMTU = short }
    supervisionTimeout = Self.iPhoneSupervisionTimeout
    connectionInterval = rules.measured.map { _ in rules.connectionInterval.value }
    stack.client = .phone
    if phone.phoneServices {
      (stack.greeting, stack.peripheralDiscovery) = (rules.greeting, rules.peripheralDiscovery)
    }
  }
}
