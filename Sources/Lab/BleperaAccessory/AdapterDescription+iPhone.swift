package import BleperaAir
package import BleperaBluetooth
import BleperaHost
package import BleperaPhone
import BleperaRules

extension AdapterDescription {
  /// The adapter of an iPhone.
  package init(_ phone: PhoneSettings, address: DeviceAddress) {
    let rules = phone.rules
    self.init(
      address: address, addressRotation: phone.usesPublicAddress ? nil : rules.addressRotation.value,
      advertisingDelay: rules.advertisingDelay.value, name: phone.deviceName, mtu: phone.mtu ?? rules.clientMTU.value)
    supervisionTimeout = Self.iPhoneSupervisionTimeout
    connectionInterval = rules.measured.map { _ in rules.connectionInterval.value }
    stack.client = .phone
    if phone.phoneServices {
      (stack.greeting, stack.peripheralDiscovery) = (rules.greeting, rules.peripheralDiscovery)
    }
  }
}
