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
