import BleperaBluetooth
import BleperaTesting
import CoreBluetooth
import Synchronization
import Testing

/// The example of Apple's guide to background processing: the door is unlocked when the user comes home. The app calls
/// `connect` once it has lost the lock, and opens the door once it is connected.
extension StoryTests {
  @Suite("The door of an app that waits for its lock while the user is away") struct SmartDoor {
    /// The way in which the app ends or is suspended.
    enum Ending: CaseIterable {
      /// The door opens.
      case suspended, terminated, crashed, terminatedByChance, rebooted
      /// The door stays shut.
      case terminatedWithoutIdentifier, forceQuit, terminatedAndBluetoothOff, rebootedOnIOS10, rebootedAndNotUnlocked,
        suspendedWithoutMode

      var opens: Bool {
        switch self {
        case .suspended, .terminated, .crashed, .terminatedByChance, .rebooted: true
        case .terminatedWithoutIdentifier, .forceQuit, .terminatedAndBluetoothOff, .rebootedOnIOS10,
          .rebootedAndNotUnlocked, .suspendedWithoutMode:
          false
        }
      }

      /// Performs what the story has not done before.
      func happen(to app: App, of phone: Phone, on air: Air) async {
        switch self {
        case .suspended, .terminatedByChance, .suspendedWithoutMode: break
        case .terminated, .terminatedWithoutIdentifier: phone.terminate(.memoryPressure)
        case .crashed: phone.terminate(.crash, app)
        case .forceQuit: phone.forceQuit()
        case .terminatedAndBluetoothOff:
          phone.terminate(.memoryPressure)
          for isOn in [false, true] { phone.switchBluetooth(on: isOn) }
        case .rebooted, .rebootedOnIOS10, .rebootedAndNotUnlocked:
          phone.reboot()
          await air.advance(by: .seconds(60))
          if self != .rebootedAndNotUnlocked { phone.unlock() }
        }
      }
    }

    private static let service = BluetoothUUID("C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A01")!
    private static let command = BluetoothUUID("C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A02")!

    private static func lock(on air: Air) -> Accessory {
      Accessory(
        on: air, named: "lock", localName: "Lock",
        services: [
          ServiceDefinition(
            uuid: service,
            characteristics: [
              CharacteristicDefinition(uuid: command, properties: [.write], permissions: [.writeable])
            ])
        ])
    }

    @Test(
      "opens when the user returns, or stays shut until the user opens the app",
      arguments: Ending.allCases, [true, false])
    func comingHome(_ ending: Ending, isAtHome: Bool) async throws {
      for hours in [1, 72] {
        let air = Air()
        let lock = Self.lock(on: air)
        // Three days pass faster where the phone itself sends nothing.
        let phone = Phone(
          on: air, ios: ending == .rebootedOnIOS10 ? 10 : 26, backgroundAppleItems: [],
          memoryPressure: ending == .terminatedByChance ? 1 : 0)
        let isOpenedByUser = Mutex(true)
        let launches = Launches<Opener>()
        let app = phone.launch(
          "org.example.door", backgroundModes: ending == .suspendedWithoutMode ? [] : ["bluetooth-central"]
        ) {
          launches.keep(
            Opener(
              [CBUUID(string: Self.service.description)],
              restores: ending == .terminatedWithoutIdentifier || ending == .suspendedWithoutMode ? nil : "door",
              scans: isOpenedByUser.withLock { $0 }))
        }
        /// The number of times that the door was opened, and the callbacks in each life of the app.
        func story() -> (openings: Int, text: Comment) {
          let openings = lock.writes(to: Self.command).count
          return (openings, "after \(hours) h, \(openings) openings: \(launches.all.map(\.lines))")
        }
        await air.advance(by: .seconds(5))
        #expect(story().openings == 1, story().text)
        isOpenedByUser.withLock { $0 = false }
        phone.lock()
        await air.advance(by: .seconds(60))
        #expect(app.state == .suspended || ending == .terminatedByChance, story().text)

        if isAtHome {
          await ending.happen(to: app, of: phone, on: air)
          await air.advance(by: .seconds(3600))
        }
        // The connection ends by its supervision timeout. A lock that is off is as one that is out of range.
        air.link(phone, lock).loss = 1
        await air.advance(by: .seconds(60))
        lock.switchPower(on: false)
        air.link(phone, lock).loss = nil
        if !isAtHome { await ending.happen(to: app, of: phone, on: air) }
        await air.advance(by: .seconds(hours * 3600))

        let before = story().openings
        lock.switchPower(on: true)
        await air.advance(by: .seconds(60))
        #expect((story().openings > before) == ending.opens, story().text)
        if ending == .terminatedByChance, hours == 72 { #expect(app.launches > 1, story().text) }
        guard !ending.opens else { continue }
        isOpenedByUser.withLock { $0 = true }
        phone.unlock()
        phone.launch(app)
        await air.advance(by: .seconds(30))
        #expect(story().openings > before, story().text)
      }
    }
  }
}

/// Opens the door whenever it is connected. Where the system has launched it, it does not scan: it waits for the lock
/// that it knows.
private final class Opener: Explorer, @unchecked Sendable {
  private let scans: Bool

  init(_ services: [CBUUID], restores identifier: String?, scans: Bool) {
    self.scans = scans
    super.init(services, restores: identifier)
    reconnects = true
  }

  override func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if scans { super.centralManagerDidUpdateState(central) } else { note("state \(central.state.rawValue)") }
  }

  override func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {
    super.peripheral(peripheral, didDiscoverCharacteristicsFor: service, error: error)
    for characteristic in service.characteristics ?? [] {
      peripheral.writeValue(Data([1]), for: characteristic, type: .withResponse)
    }
  }
}
