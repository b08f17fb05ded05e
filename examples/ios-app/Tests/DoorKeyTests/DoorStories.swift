import BleperaTesting
import DoorKey
import Testing

@Suite("A door whose key is a phone", .traced)
struct DoorStories {
  static let command = BluetoothUUID("8E7F1A11-4B0C-4E1B-9B6B-6B1C2D3E4F50")!
  static let state = BluetoothUUID("8E7F1A12-4B0C-4E1B-9B6B-6B1C2D3E4F50")!

  @Test("Only paired phones open it")
  func pairing() async throws {
    let air = Air()
    let (phone, visitor) = (Phone(on: air), Central(on: air, named: "visitor"))
    phone.launch("org.example.door") { DoorKey() }
    #expect(await visitor.discovers(.localName("Door"), within: .seconds(3)))
    try await visitor.connect(to: phone)
    #expect(try await visitor.read(Self.state) == [0])
    try await visitor.pair()
    try await visitor.write([1], to: Self.command)
    #expect(try await visitor.read(Self.state) == [1])
    await #expect(throws: StoryFailure.self) { try await visitor.write([7], to: Self.command) }
  }

  @Test("It is killed overnight and opens in the morning, and reports its state to the one who had subscribed")
  func overnight() async throws {
    let air = Air()
    let (phone, owner) = (Phone(on: air), Central(on: air, named: "owner"))
    let app = phone.launch("org.example.door") { DoorKey() }
    try await owner.connect(to: phone)
    try await owner.pair()
    try await owner.subscribe(to: Self.state)
    #expect(try await owner.receives(from: Self.state, within: .seconds(1)) == [0])
    phone.moveToBackground()
    await air.advance(by: .seconds(60))
    #expect(app.state == .suspended)
    phone.terminate(.memoryPressure)
    await air.advance(by: .seconds(8 * 3600))
    try await owner.write([1], to: Self.command)
    #expect(app.launches == 2)
    #expect(app.restored.subscribers == [owner])
    #expect(try await owner.receives(from: Self.state, within: .seconds(5)) == [1])
  }

  @Test("Its key works from the pocket")
  func background() async throws {
    let air = Air()
    let (phone, owner) = (Phone(on: air), Central(on: air, named: "owner", as: .iPhoneApp()))
    phone.launch("org.example.door") { DoorKey() }
    phone.moveToBackground()
    let service = BluetoothUUID("8E7F1A10-4B0C-4E1B-9B6B-6B1C2D3E4F50")!
    #expect(await owner.discovers(.overflow(service), within: .seconds(10)))
  }
}
