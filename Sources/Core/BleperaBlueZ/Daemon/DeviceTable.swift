import BleperaBluetooth
import BleperaDBus
import BleperaRadio

/// bluetoothd's adapters and devices, and the devices that are centrals of the phone.
struct DeviceTable: Sendable {
  private(set) var inventory = Inventory()
  /// The devices whose connection has been reported.
  private(set) var connected: Set<ObjectPath> = []
  /// The devices that have bonded since the radio's start.
  private(set) var bondsMade: Set<ObjectPath> = []
  /// The known ATT_MTU of each connected device, in bytes.
  private var mtus: [ObjectPath: Int] = [:]
  /// The known centrals, until the inventory or an ATT_MTU changes.
  private var centrals: [ObjectPath: RadioCentral] = [:]
  /// The centrals that were asked for last, until one of them changes.
  private var latest: (devices: [ObjectPath], centrals: [RadioCentral])?

  private mutating func forgetCentrals() { (centrals, latest) = ([:], nil) }

  /// - Returns: the devices that were connected and are not any more.
  mutating func replaceInventory(with new: Inventory) -> [RemoteDevice] {
    let lost = inventory.connectedDevices.filter { new.devices[$0.path]?.isConnected != true }
    inventory = new
    forgetCentrals()
    return lost
  }

  mutating func apply(_ signal: Signal) -> [Inventory.Change] {
    forgetCentrals()
    return inventory.apply(signal)
  }

  // MARK: Connections

  /// - Returns: whether the connection is to be reported.
  mutating func connect(_ device: ObjectPath) -> Bool { connected.insert(device).inserted }

  /// - Returns: whether the connection was reported.
  mutating func disconnect(_ device: ObjectPath) -> Bool { connected.remove(device) != nil }

  /// The central as it was while it was connected.
  mutating func forget(_ device: RemoteDevice) -> RadioCentral {
    defer { forgetCentrals() }
    return RadioCentral(device, mtu: mtus.removeValue(forKey: device.path))
  }

  mutating func bond(_ device: ObjectPath) { bondsMade.insert(device) }

  /// A number that no ATT_MTU can be is ignored.
  mutating func noteMTU(_ value: DBusValue?, of device: ObjectPath) {
    guard let mtu = value?.integer, ATTMTU.range.contains(Int(clamping: mtu)), mtus[device] != Int(mtu) else { return }
    mtus[device] = Int(mtu)
    forgetCentrals()
  }

  // MARK: Centrals

  /// The ATT_MTU in bytes; the least possible one while it is not known.
  func mtu(of device: ObjectPath) -> Int { mtus[device] ?? ATTMTU.range.lowerBound }

  func device(at path: ObjectPath) -> RemoteDevice {
    inventory.devices[path] ?? RemoteDevice(path: path, address: path.deviceAddress ?? path.rawValue)
  }

  mutating func central(at path: ObjectPath) -> RadioCentral {
    if let known = centrals[path] { return known }
    let central = RadioCentral(device(at: path), mtu: mtus[path])
    centrals[path] = central
    return central
  }

  /// The list of a characteristic's subscribers is mostly the same one.
  mutating func centrals(at devices: [ObjectPath]) -> [RadioCentral] {
    if let latest, latest.devices == devices { return latest.centrals }
    let centrals = devices.map { central(at: $0) }
    latest = (devices, centrals)
    return centrals
  }
}

extension Inventory {
  /// The connected devices, in the order of their paths.
  var connectedDevices: [RemoteDevice] { devices.values.filter(\.isConnected).sorted { $0.path < $1.path } }
}

extension RadioCentral {
  /// bluetoothd cuts an update after 512 bytes.
  fileprivate init(_ device: RemoteDevice, mtu: Int?) {
    self.init(
      id: CentralID(rawValue: device.address), isBonded: device.hasBond, mtu: mtu, limit: AttributeValue.maximumLength)
  }
}
