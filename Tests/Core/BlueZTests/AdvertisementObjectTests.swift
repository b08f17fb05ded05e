import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import Testing

@testable import BleperaBlueZ

@Suite("Advertisements as bluetoothd reads them")
struct AdvertisementObjectTests {
  private static let path: ObjectPath = "/org/blepera/advertisement1"
  private static let long = BluetoothUUID("1FA2FD8A-17E0-4D3B-AF45-305DA6130E39") ?? BluetoothUUID(0 as UInt16)

  private static let table: [(AdvertisementContent, String)] = [
    (AdvertisementContent(), "{'Type': <'peripheral'>, 'Discoverable': <true>}"),
    (
      AdvertisementContent(localName: "iPad"),
      "{'Type': <'peripheral'>, 'LocalName': <'iPad'>, 'Discoverable': <true>}"
    ),
    // An empty name is none, and so is an empty list.
    (AdvertisementContent(localName: "", serviceUUIDs: []), "{'Type': <'peripheral'>, 'Discoverable': <true>}"),
    (
      // bluetoothd takes the width on the air from the text.
      AdvertisementContent(serviceUUIDs: [BluetoothUUID(0x180D as UInt16), BluetoothUUID(0x1234_5678 as UInt32), long]),
      "{'Type': <'peripheral'>, 'ServiceUUIDs': <['180d', '12345678', '1fa2fd8a-17e0-4d3b-af45-305da6130e39']>, "
        + "'Discoverable': <true>}"
    ),
    (
      AdvertisementContent(
        manufacturerData: .init(companyIdentifier: 0x4C, data: [0x10, 1, 2]),
        scanResponseManufacturerData: .init(companyIdentifier: 0x4C, data: [1, 2])),
      "{'Type': <'peripheral'>, 'Discoverable': <true>, 'ManufacturerData': <{uint16 76: <[byte 0x10, 0x01, 0x02]>}>, "
        + "'ScanResponseManufacturerData': <{uint16 76: <[byte 0x01, 0x02]>}>}"
    ),
  ]

  @Test("GetAll returns the content, connectable and discoverable", arguments: table)
  func getAll(content: AdvertisementContent, expected: String) {
    let tree = AdvertisementObject.tree(at: Self.path, content: content)
    let call = MethodCall(
      destination: nil, path: Self.path, interface: .properties, member: "GetAll",
      arguments: [.string("org.bluez.LEAdvertisement1")])
    guard case .reply(let answer)? = tree.respond(to: call) else {
      Issue.record("no answer")
      return
    }
    #expect(answer.map(\.description) == [expected])
  }

  @Test("A UUID keeps the width that it was created with")
  func width() {
    let uuid = BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FB") ?? BluetoothUUID(0 as UInt16)
    let tree = AdvertisementObject.tree(at: Self.path, content: AdvertisementContent(serviceUUIDs: [uuid]))
    #expect(
      tree.value(Self.path, BlueZName.advertisement, "ServiceUUIDs")
        == .strings(["0000180d-0000-1000-8000-00805f9b34fb"]))
  }

  @Test("Release is handled, and GetManagedObjects is not")
  func calls() {
    let tree = AdvertisementObject.tree(at: Self.path, content: AdvertisementContent())
    let release = MethodCall(
      destination: nil, path: Self.path, interface: BlueZName.advertisement, member: "Release")
    #expect(tree.respond(to: release) == nil)
    let objects = MethodCall(
      destination: nil, path: Self.path, interface: .objectManager, member: "GetManagedObjects")
    guard case .refuse? = tree.respond(to: objects) else {
      Issue.record("not refused")
      return
    }
  }
}
