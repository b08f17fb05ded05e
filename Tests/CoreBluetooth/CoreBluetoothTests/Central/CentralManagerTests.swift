import BleperaAppLink
import BleperaBluetooth
import Testing

@testable import CoreBluetooth

@Suite("A central manager")
struct CentralManagerTests {
  @Test("is created on the link that it opens, and reports the states that the phone sends it")
  func states() {
    let scanner = Scanner(isOn: false)
    #expect(scanner.port.opened == 1)
    #expect(scanner.port.takeSent() == [.create(ManagerID(.central, .number(0)))])
    #expect(scanner.manager.state == .unknown)
    // The state for another manager.
    scanner.port.deliver(.peripheral(.number(0), .didUpdateState(.poweredOn)))
    scanner.port.runCallbacks()
    #expect(scanner.takeLines() == [])
    for state in [.poweredOn, .poweredOff, .poweredOn] as [ManagerState] { scanner.deliver(.didUpdateState(state)) }
    #expect(scanner.takeLines() == ["state 5", "state 4", "state 5"])
  }

  @Test("shares the link with peripheral managers, each of which has a state of its own")
  func bothRoles() {
    let scanner = Scanner(restores: "both", isOn: false)
    let other = Scanner(scanner.port, isOn: false)
    #expect(
      scanner.port.takeSent() == [
        .create(ManagerID(.central, .restorable("both"))), .create(ManagerID(.central, .number(1))),
      ])
    let (plain, restorable) = AppPorts.$current.withValue(scanner.port) {
      (CBPeripheralManager(), CBPeripheralManager(delegate: nil, queue: nil))
    }
    #expect(scanner.port.opened == 1)
    #expect(
      scanner.port.takeSent() == [
        .create(ManagerID(.peripheral, .number(2))), .create(ManagerID(.peripheral, .number(3))),
      ])
    scanner.port.deliver(.peripheral(.number(2), .didUpdateState(.poweredOn)))
    scanner.port.runCallbacks()
    #expect(plain.state == .poweredOn)
    #expect(restorable.state == .unknown)
    withExtendedLifetime(other) {}
  }

  @Test("scans with its options, replaces its scan and stops")
  func scan() {
    let scanner = Scanner()
    scanner.manager.scanForPeripherals(withServices: nil)
    scanner.manager.scanForPeripherals(withServices: [])
    #expect(scanner.manager.isScanning)
    scanner.manager.scanForPeripherals(
      withServices: [CBUUID(string: "180D")],
      options: [
        CBCentralManagerScanOptionAllowDuplicatesKey: NSNumber(value: true),
        CBCentralManagerScanOptionSolicitedServiceUUIDsKey: [CBUUID(string: "1812")],
      ])
    scanner.manager.stopScan()
    #expect(!scanner.manager.isScanning)
    #expect(
      scanner.takeCalls() == [
        .scanForPeripherals(ScanRequest()), .scanForPeripherals(ScanRequest()),
        .scanForPeripherals(
          ScanRequest(
            services: [BluetoothUUID("180D")!], allowsDuplicates: true, solicitedServices: [BluetoothUUID("1812")!])),
        .stopScan,
      ])
    scanner.manager.scanForPeripherals(withServices: nil)
    scanner.deliver(.didUpdateState(.poweredOff))
    #expect(!scanner.manager.isScanning)
  }

  @Test("reports a discovery with Apple's keys and types")
  func discovery() throws {
    let scanner = Scanner()
    var advertisement = DiscoveredAdvertisement()
    scanner.deliver(.didDiscover(Scanner.description, advertisement))
    #expect(scanner.takeLines() == ["discovered Lamp 127"])
    #expect(Array(scanner.advertisement.keys) == ["kCBAdvDataIsConnectable"])
    #expect(scanner.advertisement["kCBAdvDataIsConnectable"] as? NSNumber == 1)
    advertisement.localName = "Lamp"
    advertisement.serviceUUIDs = [BluetoothUUID("180D")!]
    advertisement.overflowServiceUUIDs = [BluetoothUUID("180A")!]
    advertisement.solicitedServiceUUIDs = [BluetoothUUID("1812")!]
    advertisement.serviceData = [.init(service: BluetoothUUID("FE9F")!, data: [1, 2])]
    advertisement.manufacturerData = [0x4C, 0, 3]
    advertisement.txPowerLevel = -4
    (advertisement.isConnectable, advertisement.rssi) = (false, -60)
    scanner.deliver(.didDiscover(Scanner.description, advertisement))
    #expect(scanner.takeLines() == ["discovered Lamp -60"])
    let data = scanner.advertisement
    #expect(data["kCBAdvDataLocalName"] as? String == "Lamp")
    #expect(data["kCBAdvDataServiceUUIDs"] as? [CBUUID] == [CBUUID(string: "180D")])
    #expect(data["kCBAdvDataHashedServiceUUIDs"] as? [CBUUID] == [CBUUID(string: "180A")])
    #expect(data["kCBAdvDataSolicitedServiceUUIDs"] as? [CBUUID] == [CBUUID(string: "1812")])
    #expect(data["kCBAdvDataServiceData"] as? [CBUUID: Data] == [CBUUID(string: "FE9F"): Data([1, 2])])
    #expect(data["kCBAdvDataManufacturerData"] as? Data == Data([0x4C, 0, 3]))
    #expect(data["kCBAdvDataTxPowerLevel"] as? NSNumber == -4)
    #expect(data["kCBAdvDataIsConnectable"] as? Bool == false)
    #expect(scanner.peripherals.count == 1)
    #expect(scanner.peripherals[0].identifier.uuidString == Scanner.id.rawValue)
  }

  @Test("connects with its options, and reports the end of a connection with its reason")
  func connection() throws {
    let scanner = Scanner()
    scanner.deliver(.didDiscover(Scanner.description, DiscoveredAdvertisement()))
    let peripheral = scanner.peripherals[0]
    #expect(peripheral.state == .disconnected)
    scanner.manager.connect(
      peripheral,
      options: [CBConnectPeripheralOptionEnableAutoReconnect: true, CBConnectPeripheralOptionStartDelayKey: 2])
    #expect(peripheral.state == .connecting)
    var options = ConnectOptions()
    (options.autoReconnects, options.startDelay) = (true, 2)
    #expect(scanner.takeCalls() == [.connect(Scanner.id, options)])
    scanner.deliver(.didFailToConnect(Scanner.id, error: .code(.connectionFailed)))
    #expect(peripheral.state == .disconnected)
    scanner.manager.connect(peripheral)
    scanner.deliver(.didConnect(PeripheralDescription(id: Scanner.id, name: "Lamp", mtu: 185)))
    #expect(peripheral.state == .connected)
    scanner.deliver(
      .didDisconnectPeripheral(Scanner.id, timestamp: .now, isReconnecting: true, error: .code(.connectionTimeout)))
    #expect(peripheral.state == .connecting)
    scanner.deliver(.didConnect(Scanner.description))
    scanner.deliver(
      .didDisconnectPeripheral(
        Scanner.id, timestamp: .now, isReconnecting: false, error: .code(.peripheralDisconnected)))
    #expect(peripheral.state == .disconnected)
    #expect(
      scanner.takeLines() == [
        "discovered Lamp 127", "failed CBErrorDomain 10", "connected", "disconnected CBErrorDomain 6", "connected",
        "disconnected CBErrorDomain 7",
      ])
  }

  @Test("cancels connections and the wait for them")
  func cancellation() {
    let scanner = Scanner()
    let peripheral = scanner.connect()
    scanner.manager.cancelPeripheralConnection(peripheral)
    #expect(peripheral.state == .disconnecting)
    scanner.manager.connect(peripheral)
    #expect(peripheral.state == .connecting)
    // The phone has handled the cancellation, and not yet the second connect.
    scanner.deliver(.didDisconnectPeripheral(Scanner.id, timestamp: .now, isReconnecting: false, error: nil))
    #expect(peripheral.state == .connecting)
    scanner.manager.cancelPeripheralConnection(peripheral)
    // The phone had connected before it has handled the cancellation.
    scanner.deliver(.didConnect(Scanner.description))
    #expect(peripheral.state == .disconnecting)
    scanner.deliver(.didDisconnectPeripheral(Scanner.id, timestamp: .now, isReconnecting: false, error: nil))
    #expect(peripheral.state == .disconnected)
    scanner.manager.cancelPeripheralConnection(peripheral)
    #expect(scanner.takeLines() == ["disconnected -", "disconnected -"])
    #expect(
      scanner.takeCalls() == [
        .cancelPeripheralConnection(Scanner.id), .connect(Scanner.id, ConnectOptions()),
        .cancelPeripheralConnection(Scanner.id),
      ])
  }

  @Test("prefers the method with a timestamp")
  func newMethod() {
    /// A class that conforms itself, since a method that a subclass adds is not called.
    final class Delegate: NSObject, CBCentralManagerDelegate {
      var lines: [String] = []
      func centralManagerDidUpdateState(_ central: CBCentralManager) {}
      func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
      ) {
        lines.append("old")
      }
      func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
      ) {
        lines.append("new \(isReconnecting) \(timestamp)")
      }
    }
    let scanner = Scanner()
    let peripheral = scanner.connect()
    let delegate = Delegate()
    scanner.manager.delegate = delegate
    // 2001-01-01T00:00:01.500Z.
    let time = Timestamp(seconds: 978_307_201, milliseconds: 500)
    scanner.deliver(.didDisconnectPeripheral(Scanner.id, timestamp: time, isReconnecting: false, error: nil))
    #expect(delegate.lines == ["new false 1.5"])
    withExtendedLifetime(peripheral) {}
  }

  @Test("retrieves peripherals at once, and has one object for each")
  func retrieval() throws {
    let scanner = Scanner()
    #expect(scanner.manager.retrievePeripherals(withIdentifiers: [UUID()]).isEmpty)
    scanner.port.answer([Scanner.description])
    _ = scanner.takeCalls()
    let uuid = try #require(UUID(uuidString: Scanner.id.rawValue))
    let peripheral = scanner.manager.retrievePeripherals(withIdentifiers: [uuid])[0]
    #expect(peripheral.name == "Lamp")
    #expect(scanner.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])[0] === peripheral)
    #expect(
      scanner.takeCalls() == [
        .retrievePeripherals([Scanner.id]), .retrieveConnectedPeripherals([BluetoothUUID("180D")!]),
      ])
    let other = Scanner(scanner.port, isOn: false)
    other.deliver(.didUpdateState(.poweredOn), to: .number(1))
    let own = other.manager.retrievePeripherals(withIdentifiers: [uuid])[0]
    #expect(own !== peripheral)
    #expect(own == peripheral)
  }

  @Test("registers for connection events")
  func connectionEvents() throws {
    let scanner = Scanner()
    let uuid = try #require(UUID(uuidString: Scanner.id.rawValue))
    scanner.manager.registerForConnectionEvents(options: [
      .serviceUUIDs: [CBUUID(string: "180D")], .peripheralUUIDs: [uuid],
    ])
    scanner.manager.registerForConnectionEvents(options: nil)
    #expect(
      scanner.takeCalls() == [
        .registerForConnectionEvents(
          ConnectionEventMatching(services: [BluetoothUUID("180D")!], peripherals: [Scanner.id])),
        .registerForConnectionEvents(nil),
      ])
    scanner.deliver(
      .connectionEventDidOccur(Scanner.description, isConnected: true),
      .connectionEventDidOccur(Scanner.description, isConnected: false))
    #expect(scanner.takeLines() == ["event 1", "event 0"])
  }

  @Test("ends its scan, its reports and its connections when it is deallocated; another one has its number")
  func deallocation() {
    let port = ManualPort()
    var scanner: Scanner? = Scanner(port)
    let peripheral = scanner?.connect()
    scanner?.manager.scanForPeripherals(withServices: nil)
    _ = port.takeSent()
    scanner = nil
    #expect(port.takeSent() == [.central(.number(0), .stopScan), .central(.number(0), .release(Scanner.id))])
    #expect(peripheral?.state == .disconnected)
    let next = Scanner(port, isOn: false)
    port.runCallbacks()
    #expect(port.takeSent() == [])
    #expect(next.takeLines() == ["state 5"])
  }
}
