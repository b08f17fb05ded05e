import BleperaBluetooth
import BleperaHost
import BleperaRadio
import Testing

@testable import BleperaHostRadio

@Suite("The links of a radio to peripherals")
struct PeripheralLinksTests {
  private static let link = ConnectionID(7)

  private static func peripheral(_ id: PeripheralID, mtu: Int = 23) -> RadioPeripheral {
    RadioPeripheral(id: id, isBonded: false, mtu: mtu)
  }

  @Test("A peripheral is found by its connection and by its identifier, until the connection ends")
  func connections() {
    var links = PeripheralLinks()
    let ids = [1, 2].map { links.identifier(of: DeviceAddress(bits: $0)) }
    for (number, id) in [2, 1].enumerated() { links.set(Self.peripheral(ids[number]), over: ConnectionID(id)) }
    #expect(links.connections == [ConnectionID(1), ConnectionID(2)] && links.identifiers == Set(ids))
    #expect(links.connection(to: ids[0]) == ConnectionID(2) && links[ConnectionID(2)]?.id == ids[0])
    let removed = [links.remove(ConnectionID(2)), links.remove(ConnectionID(2))]
    #expect(removed == [Self.peripheral(ids[0]), nil] && links.connection(to: ids[0]) == nil)
    links.removeAll()
    #expect(links.identifiers.isEmpty)
  }

  @Test("A peripheral has changed if anything of it differs", arguments: [(185, true), (23, false)])
  func changes(mtu: Int, hasChanged: Bool) {
    var links = PeripheralLinks()
    let id = links.identifier(of: DeviceAddress(bits: 1))
    let isNew = links.set(Self.peripheral(id), over: Self.link)
    let isOther = links.set(Self.peripheral(id, mtu: mtu), over: Self.link)
    #expect(isNew && isOther == hasChanged && links[Self.link]?.mtu == mtu)
  }

  @Test("An identifier has its address, also one that the text does not describe", arguments: [false, true])
  func addresses(isRandom: Bool) {
    var links = PeripheralLinks()
    let address = DeviceAddress(bits: 0x4000_0000_0001, isRandom: isRandom)
    let id = links.identifier(of: address)
    #expect(id.rawValue == address.description && links.address(of: id) == address)
    #expect(links.address(of: PeripheralID(rawValue: "none")) == nil)
  }
}
