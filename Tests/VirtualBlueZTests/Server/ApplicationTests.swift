import BusTesting
import DBus
import EventLoop
import GATT
import Testing

@testable import VirtualBlueZ

@Suite("Applications on the virtual bluetoothd", .timeLimit(.minutes(1)))
struct ApplicationTests {
  private static let noService = "org.bluez.Error.Failed: No valid service object found"
  private static let noEntry = "org.bluez.Error.Failed: Failed to create entry in database"

  private static let refused: [(String, [Program.Object], String?)] = [
    ("a good one", Program.objects(), nil),
    ("one that includes itself", Program.objects(service: [("Includes", .paths([Program.service]))]), nil),
    ("nothing", [], "org.bluez.Error.Failed: No object received"),
    ("no flags", Program.objects(flags: []), noService),
    ("an unknown flag", Program.objects(flags: ["fly"]), noService),
    ("no UUID", Program.objects(uuid: "x"), noService),
    ("a service of the system", Program.objects(uuid: "1800"), noEntry),
    ("taken handles", Program.objects(service: [("Handle", .uint16(1))]), noEntry),
    (
      "a characteristic of no service",
      [(Program.characteristic, BluezNames.characteristic, [("UUID", .string("2a37"))])], noService
    ),
    ("a service that is not there", Program.objects(service: [("Includes", .paths(["/none"]))]), noEntry),
  ]

  @Test("An application is taken, or refused by name and message")
  func refusals() async throws {
    try await Scene.run { scene async throws in
      let program = Program(connection: scene.app)
      for (name, objects, expected) in Self.refused {
        try await program.export(objects)
        #expect(await program.register() == expected, "\(name)")
        guard expected == nil else { continue }
        #expect(await program.register() == "org.bluez.Error.AlreadyExists: Already Exists")
        _ = try await scene.app.call(
          Scene.call(
            Scene.phoneAdapter, BluezNames.gattManager, "UnregisterApplication", [.objectPath(Program.root)]))
      }
    }
  }

  @Test("A handle of 0 is told, one that is absent is not")
  func handles() async throws {
    try await Scene.run { scene async throws in
      let program = Program(connection: scene.app)
      try await program.export(Program.objects(characteristic: [("Handle", .uint16(0))]))
      #expect(await program.register() == nil)
      let call = try await program.next("Set")
      #expect(call.call.path == Program.characteristic)
      #expect(call.call.arguments[1] == .string("Handle"))
      #expect(call.call.arguments[2].unwrapped == .uint16(21))
    }
  }

  @Test("Reads and writes carry the options that bluetoothd gives, and errors become ATT's")
  func requests() async throws {
    try await Scene.run { scene async throws in
      let program = Program(connection: scene.app)
      try await program.export(Program.objects(flags: ["read", "write", "reliable-write"]))
      #expect(await program.register() == nil)
      let other = Program(connection: scene.client)
      #expect(try await other.advertise(Program.lively) == nil)
      try await scene.connect()
      let path = try await scene.object(BluezNames.characteristic, Program.measurement)

      async let value = scene.ask(
        path, BluezNames.characteristic, "ReadValue", [.properties([("offset", .uint16(3))])])
      let read = try await program.next("ReadValue")
      let options = read.call.arguments.first?.asProperties
      #expect(
        options == [
          "device": .objectPath(Scene.central), "link": .string("LE"), "mtu": .uint16(517), "offset": .uint16(3),
        ])
      await program.answer(read, .success([.bytes([9])]))
      #expect(try await value == [.bytes([9])])

      async let refusal = scene.refusal(path, BluezNames.characteristic, "ReadValue", [.properties([])])
      await program.answer(try await program.next("ReadValue"), .success([.string("not bytes")]))
      #expect(await refusal == "org.bluez.Error.NotSupported: Operation is not supported")

      async let written = scene.ask(
        path, BluezNames.characteristic, "WriteValue", [.bytes([1, 2]), .properties([("type", .string("reliable"))])])
      let write = try await program.next("WriteValue")
      #expect(write.call.arguments[0] == .bytes([1, 2]))
      #expect(write.call.arguments[1].asProperties?["type"] == nil)
      await program.answer(write, .success([]))
      #expect(try await written == [])

      #expect(
        await scene.refusal(
          path, BluezNames.characteristic, "WriteValue", [.bytes([]), .properties([("type", .string("command"))])])
          == "org.bluez.Error.NotSupported: Operation is not supported")
      #expect(
        await scene.refusal(path, BluezNames.characteristic, "StartNotify")
          == "org.bluez.Error.NotSupported: Operation is not supported")
    }
  }

  @Test("A program that does not answer for 5 s has given an unlikely error")
  func timeout() async throws {
    try await Scene.run(isManual: true) { scene async throws in
      let program = Program(connection: scene.app)
      try await program.export(Program.objects())
      #expect(await program.register() == nil)
      let other = Program(connection: scene.client)
      #expect(try await other.advertise(Program.lively) == nil)
      try await scene.ask(Scene.centralAdapter, BluezNames.adapter, "StartDiscovery")
      await scene.server.advance(by: .seconds(2))
      async let connected = scene.ask(Scene.phone, BluezNames.device, "Connect")
      while try await scene.get(Scene.phone, BluezNames.device, "ServicesResolved") == .boolean(false) {
        await scene.server.advance(by: .seconds(1))
      }
      #expect(try await connected == [])
      let path = try await scene.object(BluezNames.characteristic, Program.measurement)
      async let refusal = scene.refusal(path, BluezNames.characteristic, "ReadValue", [.properties([])])
      while program.calls.left.allSatisfy({ $0.call.member != "ReadValue" }) {
        await scene.server.advance(by: .milliseconds(1))
      }
      await scene.server.advance(by: .seconds(6))
      #expect(await refusal == "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e")
    }
  }

  private static let answers: [(DBusErrorReply?, startsNotify: Bool)] = [
    (nil, false), (.bluez("NotSupported", ""), true), (.bluez("Failed", ""), false),
    (DBusErrorReply(name: .unknownMethod, message: ""), true),
  ]

  @Test("AcquireNotify comes first, and StartNotify after all refusals but two", arguments: answers)
  func acquireNotify(error: DBusErrorReply?, startsNotify: Bool) async throws {
    try await Scene.run { scene async throws in
      let (program, path) = try await subscribable(scene, [("NotifyAcquired", .boolean(false))])
      try await scene.ask(path, BluezNames.characteristic, "StartNotify")
      let call = try await program.next("AcquireNotify")
      #expect(call.call.arguments.first?.asProperties?["device"] == .objectPath(Scene.central))
      if let error {
        await program.answer(call, .failure(error))
        if startsNotify { _ = try await program.next("StartNotify") }
        try await program.notify([1])
      } else {
        let (own, other) = try #require(SequencedSocket.pair())
        await program.answer(call, .success([.unixFD(other), .uint16(100)]))
        own.send([1])
        try await scene.wait(for: "Value", of: path, toBe: .bytes([1]))
      }
      try await scene.ask(path, BluezNames.characteristic, "StopNotify")
      if startsNotify { _ = try await program.next("StopNotify") }
    }
  }

  @Test("Without NotifyAcquired there is StartNotify alone")
  func startNotify() async throws {
    try await Scene.run { scene async throws in
      let (program, path) = try await subscribable(scene, [])
      try await scene.ask(path, BluezNames.characteristic, "StartNotify")
      #expect(try await program.calls.next().call.member == "StartNotify")
      #expect(
        await scene.refusal(path, BluezNames.characteristic, "StartNotify")
          == "org.bluez.Error.InProgress: In Progress")
      #expect(
        await scene.refusal(path, BluezNames.characteristic, "AcquireNotify", [.properties([])])
          == "org.bluez.Error.InProgress: In Progress")
    }
  }

  @Test("What is written into the descriptor of AcquireWrite is a command")
  func acquireWrite() async throws {
    try await Scene.run { scene async throws in
      let (program, path) = try await subscribable(scene, [])
      try await acquireAndWrite(scene, path)
      let write = try await program.next("WriteValue")
      #expect(write.call.arguments.first == .bytes([7, 8]))
      #expect(!write.call.expectsReply)
      try await scene.wait(for: "WriteAcquired", of: path, toBe: .boolean(false))
    }
  }

  /// The descriptor is closed when this returns.
  private func acquireAndWrite(_ scene: Scene, _ path: ObjectPath) async throws {
    let answer = try await scene.ask(path, BluezNames.characteristic, "AcquireWrite", [.properties([])])
    #expect(try await scene.get(path, BluezNames.characteristic, "WriteAcquired") == .boolean(true))
    SequencedSocket(try #require(answer.first?.fileDescriptor)).send([7, 8])
  }

  @Test("A device that is connected has the name of its adapter, which is read from it")
  func deviceName() async throws {
    try await Scene.run { scene async throws in
      _ = try await subscribable(scene, [])
      #expect(try await scene.get(Scene.phone, BluezNames.device, "Name") == .string("virtual 0"))
    }
  }

  @Test("A program that leaves takes its services along, and the central hears of it")
  func vanishing() async throws {
    try await Scene.run { scene async throws in
      let (_, path) = try await subscribable(scene, [])
      await scene.app.close()
      try await scene.wait { signal -> Void? in
        signal.member == "InterfacesRemoved" && signal.arguments[0].path == path ? () : nil
      }
    }
  }

  @Test("A service object that is removed is removed from the air, one that is added is passed over")
  func removedService() async throws {
    try await Scene.run { scene async throws in
      let (_, path) = try await subscribable(scene, [])
      try await scene.app.emit(
        Signal(
          path: Program.root, interface: .objectManager, member: "InterfacesRemoved",
          arguments: [.objectPath(Program.service), .strings([BluezNames.service.rawValue])]))
      try await scene.wait { signal -> Void? in
        signal.member == "InterfacesRemoved" && signal.arguments[0].path == path ? () : nil
      }
    }
  }

  /// A connected phone with a characteristic to subscribe to and to write to.
  private func subscribable(_ scene: Scene, _ extra: Program.Properties) async throws -> (Program, ObjectPath) {
    let program = Program(connection: scene.app)
    try await program.export(
      Program.objects(flags: ["notify", "write-without-response"], characteristic: extra))
    #expect(await program.register() == nil)
    let other = Program(connection: scene.client)
    #expect(try await other.advertise(Program.lively) == nil)
    try await scene.connect()
    return (program, try await scene.object(BluezNames.characteristic, Program.measurement))
  }
}
