import BleperaTesting
import CoreBluetooth
import Testing

@Suite("Programming errors end the process with Core Bluetooth's text")
struct MisuseTests {
  @Test("A text that is not a UUID")
  func invalidUUID() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { _ = CBUUID(string: "180") }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("String 180 does not represent a valid UUID"))
  }

  @Test("A service that is added twice")
  func addedTwice() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { Self.launch { [$0, $0] } }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self).contains("Services cannot be added more than once"))
  }

  @Test("A cached value that may be written")
  func writeableCachedValue() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Self.launch { service in
        service.characteristics = [
          CBMutableCharacteristic(
            type: Recorder.command, properties: [.read, .write], value: Data([1]), permissions: [.readable, .writeable])
        ]
        return [service]
      }
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("Characteristics with cached values must be read-only"))
  }

  @Test("A restore identifier without the background mode of the role")
  func withoutBackgroundMode() async throws {
    let peripheral = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Phone(on: Air()).launch(backgroundModes: ["bluetooth-central"]) { Recorder() }
    }
    let central = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      Phone(on: Air()).launch(backgroundModes: ["bluetooth-peripheral"]) { Explorer(restores: "explorer") }
    }
    for (result, role) in [(peripheral, "Peripheral"), (central, "Central")] {
      let text = """
        NSInternalInconsistencyException', reason: 'State restoration of CB\(role)Manager is only allowed for \
        applications that have specified the "bluetooth-\(role.lowercased())" background mode'
        """
      #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains(text))
    }
  }

  /// Launches an app that adds what `make` makes of a service, once Bluetooth is on.
  private static func launch(_ make: @escaping @Sendable (CBMutableService) -> [CBMutableService]) {
    let phone = Phone(on: Air())
    phone.launch { Adding(make) }
  }
}

private final class Adding: NSObject, CBPeripheralManagerDelegate {
  private let make: (CBMutableService) -> [CBMutableService]
  private var manager: CBPeripheralManager?

  init(_ make: @escaping (CBMutableService) -> [CBMutableService]) {
    self.make = make
    super.init()
    manager = CBPeripheralManager(delegate: self, queue: nil)
  }

  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
    guard peripheral.state == .poweredOn else { return }
    for service in make(CBMutableService(type: Recorder.service, primary: true)) { peripheral.add(service) }
  }
}
