// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaTesting
import CoreBluetooth
import Testing

/// The name of a peripheral, and the name that the peripheral advertises.
extension StoryTests {
  @Test("reads the Device Name at the first connection, and keeps it while the advertised name changes")
  func names() async throws {
    let air = Air()
    let tablet = Phone(on: air, named: "tablet", deviceName: "Ada's iPad")
    let recorders = Launches<Recorder>()
    tablet.launch("org.example.recorder") { recorders.keep(Recorder()) }
    let readers = Launches<NameReader>()
    Phone(on: air).launch { readers.keep(NameReader([Recorder.service])) }
    await air.advance(by: .seconds(3))
    let reader = readers.last
    #expect(reader.names == ["Recorder, advertised Recorder"])
    #expect(reader.lines.contains("name Ada's iPad"))
    let advertiser = recorders.last.manager!
    advertiser.stopAdvertising()
    advertiser.startAdvertising([
      CBAdvertisementDataLocalNameKey: "New", CBAdvertisementDataServiceUUIDsKey: [Recorder.service],
    ])
    for isConnected in [true, false] {
      if !isConnected { reader.manager.cancelPeripheralConnection(reader.peripherals[0]) }
      await air.advance(by: .seconds(1))
      reader.manager.scanForPeripherals(withServices: [Recorder.service])
      await air.advance(by: .seconds(3))
      #expect(reader.names.last == "Ada's iPad, advertised New", "connected: \(isConnected)")
    }
    Phone(on: air, named: "stranger").launch { readers.keep(NameReader([Recorder.service], connects: false)) }
    await air.advance(by: .seconds(3))
    #expect(readers.last.names.first == "New, advertised New")
  }

  @Test(
    "receives a name of the scan response in its one discovery before iOS 16, and later with duplicates alone",
    arguments: [15, 16, 17, 26])
  func nameInResponse(ios: Int) async throws {
    let air = Air()
    let (name, uart) = ("Sixteen letters!", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    let accessory = Accessory(on: air, localName: name, advertising: [try #require(BluetoothUUID(uart))])
    let readers = Launches<NameReader>()
    Phone(on: air, ios: ios).launch { readers.keep(NameReader([CBUUID(string: uart)], connects: false)) }
    await air.advance(by: .seconds(3))
    let reader = readers.last
    let whole = "\(name), advertised \(name)"
    #expect(reader.names == [ios < 16 ? whole : "-, advertised -"])
    reader.names = []
    reader.manager.scanForPeripherals(
      withServices: [CBUUID(string: uart)], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    await air.advance(by: .seconds(3))
    // The phone has kept the name that it has received. The end of a scan window may cut off a response.
    let cut = "\(name), advertised -"
    let first = try #require(reader.names.firstIndex(of: whole))
    #expect(first < 4 && reader.names.allSatisfy { $0 == whole || $0 == cut })
    // From iOS 16 on the advertisement alone comes first.
    #expect(ios < 16 || first > 0 && reader.names[first - 1] == cut)
    withExtendedLifetime(accessory) {}
  }
}

/// Writes down both names of each discovery.
private final class NameReader: Explorer, @unchecked Sendable {
  var names: [String] = []

  override func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    let advertised = advertisementData[CBAdvertisementDataLocalNameKey] as? String
    names.append("\(peripheral.name ?? "-"), advertised \(advertised ?? "-")")
    super.centralManager(central, didDiscover: peripheral, advertisementData: advertisementData, rssi: RSSI)
  }
}
