package import BleperaDBus

/// The names of bluetoothd's D-Bus interface.
package enum BlueZName {
  package static let bus: BusName = "org.bluez"
  package static let adapter: InterfaceName = "org.bluez.Adapter1"
  package static let device: InterfaceName = "org.bluez.Device1"
  package static let gattManager: InterfaceName = "org.bluez.GattManager1"
  package static let gattService: InterfaceName = "org.bluez.GattService1"
  package static let gattCharacteristic: InterfaceName = "org.bluez.GattCharacteristic1"
  package static let gattDescriptor: InterfaceName = "org.bluez.GattDescriptor1"
  package static let advertisingManager: InterfaceName = "org.bluez.LEAdvertisingManager1"
  /// An interface of `bluetoothd -E` alone.
  package static let monitorManager: InterfaceName = "org.bluez.AdvertisementMonitorManager1"
  package static let monitor: InterfaceName = "org.bluez.AdvertisementMonitor1"
  package static let advertisement: InterfaceName = "org.bluez.LEAdvertisement1"
  package static let agent: InterfaceName = "org.bluez.Agent1"
  package static let agentManager: InterfaceName = "org.bluez.AgentManager1"
  package static let root: ObjectPath = "/org/bluez"
}
