import BleperaBluetooth
import BleperaHost
import BleperaRadio

/// The links of a radio to peripherals, as they are reported, and the addresses of known peripherals.
struct PeripheralLinks {
  private var links: [ConnectionID: RadioPeripheral] = [:]
  /// The addresses that their text does not describe.
  private var addresses: [PeripheralID: DeviceAddress] = [:]

  /// Ascending.
  var connections: [ConnectionID] { links.keys.sorted() }
  var identifiers: Set<PeripheralID> { Set(links.values.map(\.id)) }
  subscript(id: ConnectionID) -> RadioPeripheral? { links[id] }
  func connection(to peripheral: PeripheralID) -> ConnectionID? { links.first { $0.value.id == peripheral }?.key }

  func address(of peripheral: PeripheralID) -> DeviceAddress? {
    addresses[peripheral] ?? DeviceAddress(peripheral.rawValue)
  }

  mutating func identifier(of address: DeviceAddress) -> PeripheralID {
    let id = PeripheralID(rawValue: address.description)
    if DeviceAddress(bits: address.bits) != address { addresses[id] = address }
    return id
  }

  /// - Returns: false if the peripheral is known as that already.
  @discardableResult
  mutating func set(_ peripheral: RadioPeripheral, over id: ConnectionID) -> Bool {
    links.updateValue(peripheral, forKey: id) != peripheral
  }

  mutating func remove(_ id: ConnectionID) -> RadioPeripheral? { links.removeValue(forKey: id) }

  mutating func removeAll() { links = [:] }
}
