import BleperaProfile
import BleperaTesting
import TestSupport
import Testing

@testable import BleperaSimulation

@Suite("An app without code is a central", .traced)
struct CentralProfileTests {
  private static let state = BluetoothUUID("C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A03")!
  private static let command = BluetoothUUID("C8B6F0B5-7A37-4B4E-9F0C-6B2B5D1E8A02")!

  private static func profile(_ name: String) throws -> Profile {
    try #require(Profile.check(try ProjectFile.bytes("profiles/\(name).plist"), file: name).profile)
  }

  /// The lock of `smart-lock.plist` as an accessory, which echoes commands as its state.
  private static func lock(on air: Air) throws -> Accessory {
    try Accessory(on: air, named: "lock", file: try ProjectFile.bytes("profiles/smart-lock.plist"))
  }

  private static func launch(_ change: (inout Profile.Central) -> Void = { _ in }, on phone: Phone) throws -> App {
    var profile = try profile("lock-remote")
    if var central = profile.central {
      change(&central)
      profile.central = central
    }
    return phone.launch(AppDefinition(profile: profile, fallbackName: "remote", seed: 0))
  }

  @Test("It unlocks the lock, for which it pairs, and locks it again")
  func use() async throws {
    let air = Air()
    let lock = try Self.lock(on: air)
    let phone = Phone(on: air)
    _ = try Self.launch(on: phone)
    await air.advance(by: .seconds(4))
    #expect(lock.writes(to: Self.command) == [[1]])
    await air.advance(by: .seconds(5))
    #expect(lock.writes(to: Self.command) == [[1], [0]])
  }

  @Test("It connects again after a loss and after Bluetooth was off, also in the background")
  func loss() async throws {
    let air = Air()
    let lock = try Self.lock(on: air)
    let phone = Phone(on: air)
    let app = try Self.launch(on: phone)
    await air.advance(by: .seconds(10))
    phone.moveToBackground()
    await air.advance(by: .seconds(30))
    #expect(app.state == .suspended)
    try air.link(phone, lock).drop()
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command) == [[1], [0], [1], [0]])
    phone.switchBluetooth(on: false)
    await air.advance(by: .seconds(10))
    phone.switchBluetooth(on: true)
    await air.advance(by: .seconds(20))
    #expect(lock.writes(to: Self.command) == [[1], [0], [1], [0], [1], [0]])
    #expect(app.launches == 1)
  }

  @Test("It is relaunched for a value, and continues with the restored connection")
  func restoration() async throws {
    let air = Air()
    let lock = try Self.lock(on: air)
    let phone = Phone(on: air)
    let app = try Self.launch(on: phone)
    await air.advance(by: .seconds(10))
    phone.moveToBackground()
    await air.advance(by: .seconds(30))
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(30))
    lock.set(Self.state, to: [1])
    await air.advance(by: .seconds(8))
    #expect(app.launches == 2 && app.state == .background)
    #expect(lock.writes(to: Self.command) == [[1], [0], [0]])
  }

  @Test("Two phones: one is the lock, the other the remote control")
  func twoPhones() async throws {
    let air = Air()
    let lock = Phone(on: air, named: "lock")
    let remote = Phone(on: air, named: "remote")
    lock.launch(AppDefinition(profile: try Self.profile("smart-lock"), fallbackName: "lock", seed: 0))
    _ = try Self.launch(on: remote)
    await air.advance(by: .seconds(10))
    #expect(air.trace.count { $0.contains("lock  write") } == 2)
  }
}
