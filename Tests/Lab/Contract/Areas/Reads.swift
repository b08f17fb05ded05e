import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

extension ContractCase {
  static func read(_ path: ObjectPath, offset: UInt16? = nil) -> MethodCall {
    Stage.call(
      path, BlueZName.gattCharacteristic, "ReadValue",
      [.properties(offset.map { [("offset", .uint16($0))] } ?? [])])
  }

  static func result(_ stage: Stage, _ call: MethodCall) async -> String {
    do {
      return "\(try await stage.client.call(call))"
    } catch .remote(let error) {
      return "\(error)"
    } catch {
      return "\(error)"
    }
  }

  static func value(_ bytes: [UInt8]) -> String { "\([DBusValue.bytes(bytes)])" }

  static let reads: [ContractCase] = [
    ContractCase(.reads, "A read calls the application with device, link and MTU, and no other option") {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let result = result(stage, read(path))
      let call = try await program.next("ReadValue", answer: .success([.bytes([1, 2, 3])]))
      stage.check(
        call.call.arguments.first?.asProperties,
        ["device": .objectPath(stage.central), "link": .string("LE"), "mtu": .uint16(517)])
      stage.check(await result, value([1, 2, 3]))
      stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "Value"), .bytes([1, 2, 3]))
    },
    ContractCase(.reads, "Every read is signaled as a change of the value") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      for _ in 0..<2 {
        async let result = result(stage, read(path))
        try await program.next("ReadValue", answer: .success([.bytes([7])]))
        stage.check(await result, value([7]))
        try await stage.wait(for: "Value", of: path, toBe: .bytes([7]))
      }
    },
    ContractCase(.reads, "An offset is passed to the application, which returns the rest") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let result = result(stage, read(path, offset: 3))
      let call = try await program.next("ReadValue", answer: .success([.bytes([9])]))
      stage.check(call.call.arguments.first?.asProperties?["offset"], .uint16(3))
      stage.check(await result, value(stage.minor < 60 ? [0, 0, 0, 9] : [9]))
    },
    ContractCase(.reads, "The offset of a read must be a uint16") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      for offset: DBusValue in [.int64(.max), .int32(-5), .uint32(3), .string("3")] {
        let call = Stage.call(path, BlueZName.gattCharacteristic, "ReadValue", [.properties([("offset", offset)])])
        stage.check(await result(stage, call), "org.bluez.Error.InvalidArguments: Invalid arguments in method call")
      }
      stage.check(program.calls.left.map(\.call.member), [], "other calls")
    },
    ContractCase(.reads, "An empty value is a value") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let result = result(stage, read(path))
      try await program.next("ReadValue", answer: .success([.bytes([])]))
      stage.check(await result, value([]))
    },
    ContractCase(.reads, "A value as long as a packet is read again for the rest") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      let bytes = [UInt8](repeating: 5, count: 600)
      async let result = result(stage, read(path))
      try await program.next("ReadValue", answer: .success([.bytes(bytes)]))
      // 512 bytes fit into the 516 of a packet, and a value has no more.
      stage.check(await result, value(Array(bytes.prefix(512))))
    },
    ContractCase(.reads, "A descriptor is read from the application") { stage throws in
      let (program, path) = try await stage.meet(Program.objects(descriptor: ["read"]))
      let descriptor = try await stage.object(BlueZName.gattDescriptor, Program.description, below: path)
      async let result = result(
        stage, Stage.call(descriptor, BlueZName.gattDescriptor, "ReadValue", [.properties([])]))
      let call = try await program.next("ReadValue", answer: .success([.bytes([0x68, 0x69])]))
      stage.check(call.call.path, Program.descriptor)
      stage.check(await result, value([0x68, 0x69]))
      stage.check(try await stage.get(descriptor, BlueZName.gattDescriptor, "Value"), .bytes([0x68, 0x69]))
    },
    ContractCase(.reads, "Reading a characteristic without the read property is not permitted") { stage throws in
      let (_, path) = try await stage.meet(flags: ["write"])
      stage.check(await result(stage, read(path)), "org.bluez.Error.NotPermitted: Read not permitted")
    },
    ContractCase(.reads, "Reading a characteristic that only notifies reaches the application") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      async let result = result(stage, read(path))
      try await program.next("ReadValue", answer: .success([.bytes([4])]))
      stage.check(await result, value([4]))
    },
    ContractCase(.reads, "A second read during a read has its own response") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let first = result(stage, read(path))
      let call = try await program.next("ReadValue")
      let answers = Mailbox<Result<[DBusValue], DBusFailure>>()
      _ = await stage.client.start(read(path)) { answers.put($0) }
      stage.check(
        await result(stage, read(path, offset: 1)),
        "org.bluez.Error.InProgress: In Progress", "with another offset")
      await program.answer(call, .success([.bytes([1])]))
      stage.check(await first, value([1]))
      stage.check(try await answers.next(), .success([.bytes([1])]))
      stage.check(program.calls.left.map(\.call.member), [], "other calls")
    },
    ContractCase(.eatt, "The database hash has 16 bytes, and the features one") { stage throws in
      _ = try await stage.meet(flags: ["read"])
      for (uuid, count) in [("2b2a", 16)] + (stage.minor < 67 ? [("2b3a", 1)] : []) {
        let path = try await stage.object(BlueZName.gattCharacteristic, "0000\(uuid)-0000-1000-8000-00805f9b34fb")
        let bytes = try await stage.ask(path, BlueZName.gattCharacteristic, "ReadValue", [.properties([])])
        stage.check(bytes.first?.byteArray?.count, count, uuid)
      }
    },
    ContractCase(.reads, "The PnP ID contains the release") { stage throws in
      _ = try await stage.meet(flags: ["read"])
      let path = try await stage.object(BlueZName.gattCharacteristic, "00002a50-0000-1000-8000-00805f9b34fb")
      stage.check(
        try await stage.ask(path, BlueZName.gattCharacteristic, "ReadValue", [.properties([])]),
        [.bytes([0x02, 0x6B, 0x1D, 0x46, 0x02, UInt8(stage.minor), 0x05])])
    },
    ContractCase(.reads, "A program that does not respond for 5 s causes an unlikely error") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let result = result(stage, read(path))
      _ = try await program.next("ReadValue")
      await stage.radio.pass(.seconds(6))
      stage.check(await result, "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e")
    },
    ContractCase(.reads, "The end of the program during a read fails it with not supported") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let result = result(stage, read(path))
      _ = try await program.next("ReadValue")
      await stage.app.close()
      stage.check(await result, notSupported)
    },
  ]
}
