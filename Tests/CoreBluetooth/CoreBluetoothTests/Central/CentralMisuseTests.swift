import BleperaAppLink
import BleperaBluetooth
import CoreBluetooth
import Testing

@Suite("Programming errors of a central are logged with Core Bluetooth's text")
struct CentralMisuseTests {
  /// The lines of the log, without the addresses of objects.
  private static func lines(_ error: [UInt8]) -> [String] {
    String(decoding: error, as: UTF8.self).split(separator: "\n").map { line in
      String(line).replacing(/0x[0-9a-f]{6,}/, with: "0x")
    }.filter { $0.hasPrefix("[CoreBluetooth] ") }.map { String($0.dropFirst("[CoreBluetooth] ".count)) }
  }

  @Test("Calls of a manager that is not on are dropped")
  func powerOff() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scanner = Scanner()
      scanner.deliver(.didDiscover(Scanner.description, DiscoveredAdvertisement()))
      scanner.deliver(.didUpdateState(.poweredOff))
      scanner.manager.scanForPeripherals(withServices: nil)
      scanner.manager.connect(scanner.peripherals[0])
      scanner.manager.cancelPeripheralConnection(scanner.peripherals[0])
      scanner.manager.registerForConnectionEvents()
      precondition(scanner.manager.retrievePeripherals(withIdentifiers: []).isEmpty)
      precondition(!scanner.manager.isScanning && scanner.takeCalls().isEmpty)
      precondition(scanner.peripherals[0].state == .disconnected)
    }
    let line = "API MISUSE: <CBCentralManager: 0x> can only accept this command while in the powered on state"
    #expect(Self.lines(result.standardErrorContent) == Array(repeating: line, count: 5))
  }

  @Test("Calls of a peripheral that is not connected are dropped")
  func disconnected() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scanner = Scanner()
      scanner.deliver(.didDiscover(Scanner.description, DiscoveredAdvertisement()))
      scanner.peripherals[0].discoverServices(nil)
      precondition(scanner.takeCalls().isEmpty)
    }
    #expect(
      Self.lines(result.standardErrorContent) == [
        "API MISUSE: <CBPeripheral: 0x, identifier = \(Scanner.id), name = Lamp, mtu = 23, state = disconnected> "
          + "can only accept commands while in the connected state"
      ])
  }

  @Test("The connection of a peripheral that the app does not retain is canceled")
  func unused() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scanner = Scanner()
      _ = scanner.connect()
      scanner.peripherals = []
      scanner.port.runCallbacks()
    }
    #expect(
      Self.lines(result.standardErrorContent) == [
        "API MISUSE: Cancelling connection for unused peripheral <CBPeripheral: 0x, identifier = \(Scanner.id), "
          + "name = Lamp, mtu = 185, state = connected>, Did you forget to keep a reference to it?"
      ])
  }

  @Test("A peripheral and its manager that are deallocated together are not misuse")
  func deallocated() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let port = ManualPort()
      var scanner: Scanner? = Scanner(port)
      _ = scanner?.connect()
      scanner?.peripherals = []
      scanner = nil
      port.runCallbacks()
      precondition(port.takeSent() == [.central(.number(0), .release(Scanner.id))])
    }
    #expect(Self.lines(result.standardErrorContent) == [])
  }

  @Test("A write without response needs the property")
  func responselessWrite() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let scanner = Scanner()
      let peripheral = scanner.connectAndDiscover()
      peripheral.writeValue(Data(), for: peripheral.services![0].characteristics![0], type: .withoutResponse)
      precondition(scanner.takeCalls().isEmpty)
    }
    #expect(
      Self.lines(result.standardErrorContent) == [
        "WARNING: Characteristic <CBCharacteristic: 0x, UUID = Heart Rate Measurement, properties = 0x12, "
          + "value = (null), notifying = NO> does not specify the \"Write Without Response\" property - "
          + "ignoring response-less write"
      ])
  }

  @Test("Another manager's peripheral, an option without effect and a restoration without its method are logged")
  func warnings() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      final class Plain: NSObject, CBCentralManagerDelegate {
        func centralManagerDidUpdateState(_ central: CBCentralManager) {}
      }
      let scanner = Scanner()
      let other = Scanner(scanner.port, restores: "other", isOn: false)
      other.deliver(.didUpdateState(.poweredOn), to: .restorable("other"))
      let peripheral = scanner.connect()
      other.manager.connect(peripheral)
      for _ in 1...2 {
        scanner.manager.connect(peripheral, options: [CBConnectPeripheralOptionEnableTransportBridgingKey: true])
      }
      precondition(scanner.takeCalls().count == 2)
      let plain = Plain()
      other.manager.delegate = plain
      other.deliver(
        .willRestoreState(RestoredCentralState(scan: nil, peripherals: [])), to: .restorable("other"))
    }
    #expect(
      Self.lines(result.standardErrorContent) == [
        "API MISUSE: <CBPeripheral: 0x, identifier = \(Scanner.id), name = Lamp, mtu = 185, state = connected> "
          + "is not a peripheral of this manager, or is no longer valid",
        "WARNING: The connect option EnableTransportBridging has no effect: there is no classic radio",
        "API MISUSE: <CBCentralManager: 0x> has provided a restore identifier but the delegate doesn't implement the "
          + "centralManager:willRestoreState: method",
      ])
  }

  @Test("A client configuration that is written ends the process")
  func configuration() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let scanner = Scanner()
      let peripheral = scanner.connectAndDiscover()
      peripheral.writeValue(Data([1, 0]), for: peripheral.services![0].characteristics![0].descriptors![0])
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("Client Characteristic Configuration descriptors must be configured using setNotifyValue:"))
  }
}
