import BleperaAppLink
import BleperaBluetooth
import CoreBluetooth
import Testing

@Suite("A central manager with a restoration identifier")
struct CentralRestorationTests {
  private static let other = PeripheralID(rawValue: "A9B0F3D2-0C1F-4E0B-8E41-6C5D1B0A0002")

  /// A scan, a connected peripheral with what was discovered of it, and one that is waited for.
  private static var state: RestoredCentralState {
    var rate = Scanner.characteristics[0]
    (rate.value, rate.isNotifying) = ([60], true)
    let descriptor = RemoteDescriptorDescription(handle: 0x13, uuid: BluetoothUUID("2902")!)
    let battery = RemoteServiceDescription(handle: 0x20, uuid: BluetoothUUID("180F")!, isPrimary: true)
    return RestoredCentralState(
      scan: ScanRequest(services: [BluetoothUUID("180D")!], allowsDuplicates: true),
      peripherals: [
        RestoredPeripheral(
          peripheral: PeripheralDescription(id: Scanner.id, name: "Lamp", mtu: 185, isConnected: true),
          state: .connected,
          services: [
            .init(
              service: Scanner.service,
              characteristics: [
                .init(characteristic: rate, descriptors: [descriptor]),
                .init(characteristic: Scanner.characteristics[1], descriptors: []),
              ]), .init(service: battery, characteristics: []),
          ]),
        RestoredPeripheral(peripheral: PeripheralDescription(id: other, name: nil), state: .connecting, services: []),
      ])
  }

  private static let manager = ManagerID.Name.restorable("lamps")

  @Test("is restored before its state is known, with what was discovered")
  func restoration() throws {
    let scanner = Scanner(restores: "lamps", isOn: false)
    scanner.deliver(.willRestoreState(Self.state), .didUpdateState(.poweredOn), to: Self.manager)
    #expect(scanner.takeLines() == ["restore", "state 5"])
    #expect(scanner.manager.isScanning)
    let restored = scanner.restored
    #expect(restored["kCBRestoredScanServices"] as? [CBUUID] == [CBUUID(string: "180D")])
    let options = try #require(restored["kCBRestoredScanOptions"] as? [String: Any])
    #expect(options[CBCentralManagerScanOptionAllowDuplicatesKey] as? Bool == true)
    let peripherals = try #require(restored["kCBRestoredPeripherals"] as? [CBPeripheral])
    #expect(peripherals.map(\.state) == [.connected, .connecting])
    #expect(peripherals.map(\.name) == ["Lamp", nil])
    #expect(peripherals[0].delegate == nil)
    #expect(peripherals[0].maximumWriteValueLength(for: .withoutResponse) == 182)
    let services = try #require(peripherals[0].services)
    #expect(services.map(\.uuid.uuidString) == ["180D", "180F"])
    #expect(services[1].characteristics == nil)
    let characteristics = try #require(services[0].characteristics)
    #expect(characteristics.map(\.isNotifying) == [true, false])
    #expect(characteristics[0].value == Data([60]))
    #expect(characteristics[0].descriptors?.count == 1)
    #expect(characteristics[1].descriptors == nil)
    #expect(peripherals[1].services == nil)
    // The app continues where it was.
    scanner.port.answer([PeripheralDescription(id: Scanner.id, name: "Lamp")])
    #expect(scanner.manager.retrievePeripherals(withIdentifiers: [])[0] === peripherals[0])
    _ = scanner.takeCalls()
    peripherals[0].readValue(for: characteristics[0])
    #expect(scanner.takeCalls() == [.peripheral(Scanner.id, .readValue(0x12))])
  }

  @Test("has no keys for what there is nothing of")
  func nothing() {
    let scanner = Scanner(restores: "lamps", isOn: false)
    scanner.deliver(.willRestoreState(RestoredCentralState(scan: nil, peripherals: [])), to: Self.manager)
    #expect(scanner.takeLines() == ["restore"])
    #expect(scanner.restored.isEmpty)
    scanner.deliver(
      .willRestoreState(RestoredCentralState(scan: ScanRequest(), peripherals: [])), to: Self.manager)
    #expect(scanner.restored.isEmpty)
    #expect(scanner.manager.isScanning)
  }

  @Test("loses the connections to peripherals that the app does not retain")
  func released() {
    let scanner = Scanner(restores: "lamps", isOn: false)
    _ = scanner.takeCalls()
    scanner.retainsPeripherals = false
    scanner.deliver(.willRestoreState(Self.state), .didUpdateState(.poweredOn), to: Self.manager)
    #expect(Set(scanner.takeCalls()) == [.release(Scanner.id), .release(Self.other)])
  }
}
