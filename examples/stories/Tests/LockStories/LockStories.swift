import BleperaTesting
import BleperaTestingBlueZ
import Testing

/// Virtual unless `BLEPERA_RADIO` is set: `BLEPERA_RADIO=bluez:hci1,hci0 swift test` runs the same stories on two real
/// adapters.
@Suite("A lock that is a phone", .radio(.fromEnvironment))
struct LockStories {
  @Test("Killed overnight, it still opens, and its subscribers are restored")
  func killedOvernight() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let door = Central(on: air, named: "door")
    let app = phone.launch(Lock().definition)
    try await door.connect(to: phone)
    try await door.subscribe(to: Lock.state)
    phone.moveToBackground()
    phone.terminate(.memoryPressure)
    if air.radio == .virtual { await air.advance(by: .seconds(8 * 3600)) }
    try await door.write([1], to: Lock.command)
    #expect(app.launches == 2)
    #expect(app.restored.subscribers == [door])
    #expect(try await door.read(Lock.state) == [1])
    app.update(Lock.state, to: [1])
    #expect(try await door.receives(from: Lock.state, within: .seconds(5)) == [1])
  }

  @Test("An iPhone discovers it in the background by the UUID that it scans for, and not with its screen off")
  func anotherPhone() async {
    let air = Air()
    let phone = Phone(on: air)
    let other = Central(on: air, named: "other", as: .iPhoneApp())
    phone.launch(Lock().definition)
    phone.moveToBackground()
    #expect(await other.discovers(.overflow(Lock.service), within: .seconds(10)))
    other.switchScreen(on: false)
    #expect(await !other.discovers(.overflow(Lock.service), within: .seconds(3)))
  }
}

/// Faults, which only a virtual radio has.
@Suite("A lock out of reach", .traced)
struct LockFaults {
  @Test("A command that is lost is an error, and the lock stays closed")
  func lost() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let door = Central(on: air, named: "door")
    phone.launch(Lock().definition)
    try await door.connect(to: phone)
    air.link(door, phone).drop(at: .first(.writeRequest))
    await #expect(throws: StoryFailure.linkLost) { try await door.write([1], to: Lock.command) }
    try await door.connect(to: phone)
    #expect(try await door.read(Lock.state) == [0])
  }
}
