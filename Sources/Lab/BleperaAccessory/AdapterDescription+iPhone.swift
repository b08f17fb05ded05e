package import BleperaAir
package import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
package import BleperaPhone
import BleperaRules

extension AdapterDescription {
  /// The adapter of an iPhone.
  package init(_ phone: PhoneSettings, address: DeviceAddress) {
    let rules = phone.rules
    let host = PhoneHost(rules, name: phone.deviceName, mtu: phone.mtu, hasServices: phone.phoneServices)
    self.init(
      address: address, addressRotation: phone.usesPublicAddress ? nil : host.addressRotation,
      advertisingDelay: rules.advertisingDelay.value, name: host.name, mtu: host.mtu,
      supervisionTimeout: Self.iPhoneSupervisionTimeout, stack: host.stack)
    dataLength = host.dataLength
    connectionInterval = rules.measured.map { _ in rules.connectionInterval.value }
  }
}
