// swift-format-ignore-file: AlwaysUseLowerCamelCase

import BleperaTesting
import CoreBluetooth
import Testing

/// An app of both roles has the phone's Bluetooth, and finds no peripheral.
extension StoryTests {
  @Test("has a central manager that is on, and off with the phone's Bluetooth", arguments: [true, false])
  func centralState(isPeripheralToo: Bool) async throws {
    let air = Air()
    let phone = Phone(on: air)
    let launches = Launches<Scanner>()
    phone.launch { launches.keep(Scanner(isPeripheralToo: isPeripheralToo)) }
    let scanner = launches.last
    #expect(scanner.lines == ["state 5"])
    #expect(scanner.manager.isScanning)
    phone.switchBluetooth(on: false)
    await air.advance(by: .seconds(1))
    // An app without a peripheral manager does not know the phone.
    #expect(scanner.lines == (isPeripheralToo ? ["state 5", "state 4"] : ["state 5"]))
    #expect(scanner.manager.isScanning == !isPeripheralToo)
    phone.switchBluetooth(on: true)
    await air.advance(by: .seconds(1))
    #expect(scanner.lines.last == "state 5")
    #expect(scanner.manager.retrieveConnectedPeripherals(withServices: [Recorder.service]).isEmpty)
  }

  @Test("says in one line that it finds no peripheral")
  func centralLog() async throws {
    let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let phone = Phone(on: Air())
      let launches = Launches<Scanner>()
      phone.launch { launches.keep(Scanner(isPeripheralToo: true)) }
      launches.last.manager.stopScan()
      launches.last.manager.scanForPeripherals(withServices: nil)
    }
    let log = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(log.components(separatedBy: "finds no peripheral").count == 2)
    #expect(!log.contains("API MISUSE"))
  }
}

/// Scans once Bluetooth is on.
///
/// @unchecked: the story waits for each callback, so the test and the callbacks never run at the same time.
private final class Scanner: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
  var lines: [String] = []
  private(set) var manager: CBCentralManager!
  private var peripheral: Recorder?

  init(isPeripheralToo: Bool) {
    super.init()
    manager = CBCentralManager(delegate: self, queue: nil)
    if isPeripheralToo { peripheral = Recorder() }
  }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    lines.append("state \(central.state.rawValue)")
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    lines.append("discovered")
  }
}
