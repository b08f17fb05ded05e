import BusTesting
import DBus
import EventLoop
import Testing

@testable import VirtualBlueZ

@Suite("Advertisements and devices on the virtual bluetoothd", .timeLimit(.minutes(1)))
struct AdvertisementTests {
  private static let notParsed = "org.bluez.Error.Failed: Failed to parse advertisement."
  private static let notRegistered = "org.bluez.Error.Failed: Failed to register advertisement"
  private static let peripheral: (String, DBusValue) = ("Type", .string("peripheral"))

  private static let refused: [(String, Program.Properties, String?)] = [
    ("nothing at all", [], nil), ("a peripheral", [peripheral], nil),
    ("another type", [("Type", .string("beacon"))], notParsed),
    ("a UUID that is none", [peripheral, ("ServiceUUIDs", .strings(["x"]))], notParsed),
    ("UUIDs of another type", [peripheral, ("ServiceUUIDs", .byte(1))], notParsed),
    ("a name of another type", [peripheral, ("LocalName", .byte(1))], notParsed),
    (
      "32 bytes", [peripheral, ("ManufacturerData", .variants([(1, .bytes(Array(repeating: 0, count: 28)))]))],
      notRegistered
    ),
    ("the broken include", [peripheral, ("Includes", .strings(["appearance"]))], notRegistered),
  ]

  @Test("An advertisement is taken, or refused by name and message")
  func refusals() async throws {
    try await Scene.run(DaemonBehavior(minor: 66)) { scene async throws in
      let program = Program(connection: scene.app)
      for (name, properties, expected) in Self.refused {
        #expect(try await program.advertise(properties) == expected, "\(name)")
        guard expected == nil else { continue }
        _ = try await scene.app.call(
          Scene.call(
            Scene.phoneAdapter, BluezNames.advertisingManager, "UnregisterAdvertisement", [.objectPath(Program.root)]))
      }
    }
  }

  @Test("TxPower is set on the object after its registration")
  func power() async throws {
    try await Scene.run { scene async throws in
      let program = Program(connection: scene.app)
      #expect(try await program.advertise([Self.peripheral]) == nil)
      #expect(try await program.next("Set").call.arguments[1] == .string("TxPower"))
    }
  }

  @Test("A time-out is a Release, on a clock that stands still until it is told")
  func release() async throws {
    try await Scene.run(isManual: true) { scene async throws in
      let program = Program(connection: scene.app)
      #expect(try await program.advertise([Self.peripheral, ("Timeout", .uint16(3600))]) == nil)
      await scene.server.advance(by: .seconds(3600))
      _ = try await program.next("Release")
      #expect(try await scene.get(Scene.phoneAdapter, BluezNames.advertisingManager, "ActiveInstances") == .byte(0))
    }
  }

  @Test("A filter lets through what it names, and nothing else", arguments: [true, false])
  func filter(matches: Bool) async throws {
    try await Scene.run(isManual: true) { scene async throws in
      let program = Program(connection: scene.app)
      #expect(try await program.advertise([Self.peripheral, ("ServiceUUIDs", .strings(["180d"]))]) == nil)
      try await scene.ask(
        Scene.centralAdapter, BluezNames.adapter, "SetDiscoveryFilter",
        [.properties([("UUIDs", .strings([matches ? "180d" : "180f"])), ("Transport", .string("le"))])])
      try await scene.ask(Scene.centralAdapter, BluezNames.adapter, "StartDiscovery")
      await scene.server.advance(by: .seconds(5))
      let refusal = await scene.refusal(Scene.phone, .properties, "Get", Self.rssi)
      #expect((refusal == nil) == matches)
    }
  }

  @Test("A device that nobody cares for is forgotten 30 s after it was last heard")
  func forgotten() async throws {
    try await Scene.run(isManual: true) { scene async throws in
      let program = Program(connection: scene.app)
      #expect(try await program.advertise([Self.peripheral]) == nil)
      try await scene.ask(Scene.centralAdapter, BluezNames.adapter, "StartDiscovery")
      await scene.server.advance(by: .seconds(100))
      #expect(try await scene.get(Scene.phone, BluezNames.device, "RSSI") == .int16(-50))
      try await scene.ask(Scene.centralAdapter, BluezNames.adapter, "StopDiscovery")
      #expect(await scene.refusal(Scene.phone, .properties, "Get", Self.rssi)?.contains("UnknownProperty") == true)
      await scene.server.advance(by: .seconds(28))
      #expect(try await scene.get(Scene.phone, BluezNames.device, "Connected") == .boolean(false))
      await scene.server.advance(by: .seconds(2))
      #expect(await scene.refusal(Scene.phone, .properties, "Get", Self.rssi)?.contains("UnknownObject") == true)
    }
  }

  private static let rssi: [DBusValue] = [.string(BluezNames.device.rawValue), .string("RSSI")]

  @Test("Connecting to a device that has gone fails after 20 s, and RemoveDevice forgets it")
  func connectFails() async throws {
    try await Scene.run(isManual: true) { scene async throws in
      let program = Program(connection: scene.app)
      #expect(try await program.advertise([Self.peripheral]) == nil)
      try await scene.ask(Scene.centralAdapter, BluezNames.adapter, "StartDiscovery")
      await scene.server.advance(by: .seconds(2))
      await scene.app.close()
      try await scene.wait(for: "ActiveInstances", of: Scene.phoneAdapter, toBe: .byte(0))
      let refusals = Mailbox<String>()
      _ = await scene.client.start(Scene.call(Scene.phone, BluezNames.device, "Connect")) { result in
        if case .failure(.remote(let error)) = result { refusals.put("\(error)") }
      }
      #expect(
        await scene.refusal(Scene.phone, BluezNames.device, "Connect") == "org.bluez.Error.InProgress: In Progress")
      await scene.server.advance(by: .seconds(20))
      #expect(try await refusals.next() == "org.bluez.Error.Failed: le-connection-abort-by-local")
      #expect(
        await scene.refusal(Scene.phone, BluezNames.device, "Disconnect")
          == "org.bluez.Error.NotConnected: Not Connected")
      try await scene.ask(
        Scene.centralAdapter, BluezNames.adapter, "RemoveDevice", [.objectPath(Scene.phone)])
      #expect(await scene.refusal(Scene.phone, .properties, "Get", Self.rssi)?.contains("UnknownObject") == true)
    }
  }

  @Test("An adapter that is pulled out is gone, and one that is plugged in is there")
  func unplug() async throws {
    try await Scene.run { scene async throws in
      let program = Program(connection: scene.app)
      #expect(try await program.advertise([Self.peripheral]) == nil)
      await scene.server.unplug(AdapterID(0))
      _ = try await program.next("Release")
      try await scene.wait { signal -> Void? in
        signal.member == "InterfacesRemoved" && signal.arguments[0].path == Scene.phoneAdapter ? () : nil
      }
      await scene.server.plug(
        AdapterID(0), AdapterDescription(address: DeviceAddress(bits: 5), name: "new"))
      try await scene.wait(for: "Name", of: Scene.phoneAdapter, toBe: .string("new"))
    }
  }
}
