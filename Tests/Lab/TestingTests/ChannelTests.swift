import BleperaLoop
import BleperaTesting
import Testing

@testable import BleperaSimulation

@Suite("L2CAP channels of a phone's apps", .traced, .timeLimit(.minutes(2)))
struct ChannelTests {
  private static let psm = BluetoothUUID("ABDD3056-28FA-441D-A470-55A75A52553A")!

  /// An echo with one open and one encrypted channel, and their numbers in characteristics.
  private static func app() throws -> AppDefinition {
    let characteristic = "{ UUID = \"\(psm)\"; Properties = (read); Permissions = (readable); }"
    let profile = """
      {
        CFBundleIdentifier = org.example.echo;
        UIBackgroundModes = (bluetooth-peripheral);
        BLEPeripheral = {
          Advertisement = { LocalName = Echo; };
          L2CAPChannels = ({ Kind = echo; }, { Kind = echo; Encryption = true; });
          Services = ({ UUID = FFF0; Characteristics = (\(characteristic), \(characteristic)); });
        };
      }
      """
    return try AppDefinition(profile: Array(profile.utf8))
  }

  private static func connected() async throws -> (Air, BleperaTesting.Phone, Central) {
    let air = Air()
    let phone = Phone(on: air)
    let central = Central(on: air)
    phone.launch(try app())
    try await central.connect(to: phone)
    return (air, phone, central)
  }

  @Test("A central reads the number, sends a megabyte, receives it back and closes the channel")
  func echo() async throws {
    let (air, _, central) = try await Self.connected()
    let number = try await central.read(Self.psm)
    #expect(number == [0x80, 0x00])
    let channel = try await central.openChannel(UInt16(number[0]))
    let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }
    #expect(try await channel.exchange(sent, receiving: sent.count) == sent)
    await channel.close()
    await air.advance(by: .seconds(1))
    #expect(try await channel.receive(1) == [])
  }

  @Test("A number that nobody has published is refused, and so is an encrypted channel before pairing")
  func refusals() async throws {
    let (_, _, central) = try await Self.connected()
    await #expect(throws: StoryFailure.noChannel) { _ = try await central.openChannel(0xC0) }
    await #expect(throws: StoryFailure.notPaired) { _ = try await central.openChannel(0x81) }
    try await central.pair()
    let channel = try await central.openChannel(0x81)
    try await channel.send([1, 2, 3])
    #expect(try await channel.receive(3) == [1, 2, 3])
  }

  @Test("In the background data flows; while the app is suspended it waits, and wakes nobody")
  func suspension() async throws {
    let (air, phone, central) = try await Self.connected()
    let channel = try await central.openChannel(0x80)
    phone.moveToBackground()
    try await channel.send([1])
    #expect(try await channel.receive(1) == [1])
    phone.suspend()
    // Less than what may wait on the way.
    try await channel.send([2])
    await #expect(throws: StoryFailure.timedOut(.seconds(60))) { _ = try await channel.receive(1) }
    await #expect(throws: StoryFailure.timedOut(.seconds(60))) {
      try await channel.send([UInt8](repeating: 3, count: 200_000))
    }
    phone.moveToForeground()
    #expect(try await channel.receive(1) == [2])
    await air.advance(by: .seconds(1))
  }

  @Test("A number stays published while the app is suspended, and a central may open it twice")
  func secondOpening() async throws {
    let (_, phone, central) = try await Self.connected()
    let first = try await central.openChannel(0x80)
    phone.moveToBackground()
    phone.suspend()
    try await first.send([1])
    // With Core Bluetooth a central refuses this itself until it has closed the first one (ble-swarm pull request 10).
    let second = try await central.openChannel(0x80)
    try await second.send([2])
    phone.moveToForeground()
    #expect(try await first.receive(1) == [1])
    #expect(try await second.receive(1) == [2])
    await first.close()
    await second.close()
    #expect(try await central.read(Self.psm) == [0x80, 0x00])
    let third = try await central.openChannel(0x80)
    try await third.send([3])
    #expect(try await third.receive(1) == [3])
  }

  @Test(
    "A channel ends with its app, with the connection and with Bluetooth",
    arguments: ["quit", "cut", "off"])
  func ends(cause: String) async throws {
    let (air, phone, central) = try await Self.connected()
    let channel = try await central.openChannel(0x80)
    try await channel.send([1])
    #expect(try await channel.receive(1) == [1])
    switch cause {
    case "quit": phone.forceQuit()
    case "cut": try air.link(central, phone).drop()
    default: phone.switchBluetooth(on: false)
    }
    #expect(try await channel.receive(1) == [])
    await #expect(throws: StoryFailure.linkLost) { try await channel.send([1]) }
  }

  @Test("After Bluetooth was off the channel has the same number; after a reset the app publishes it again")
  func power() async throws {
    let (air, phone, central) = try await Self.connected()
    for change in ["off", "reset"] {
      if change == "off" {
        phone.switchBluetooth(on: false)
        phone.switchBluetooth(on: true)
      } else {
        phone.resetBluetooth()
      }
      await air.advance(by: .seconds(5))
      try await central.connect(to: phone)
      let number = try await central.read(Self.psm)
      let channel = try await central.openChannel(UInt16(number[0]))
      try await channel.send([1])
      #expect(try await channel.receive(1) == [1])
      await channel.close()
    }
  }
}
