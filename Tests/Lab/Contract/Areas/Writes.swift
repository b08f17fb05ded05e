import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

extension ContractCase {
  static let notSupported = "org.bluez.Error.NotSupported: Operation is not supported"

  static func write(
    _ path: ObjectPath, _ bytes: [UInt8], type: String? = nil, offset: UInt16? = nil,
    interface: InterfaceName = BlueZName.gattCharacteristic
  ) -> MethodCall {
    var options: [(String, DBusValue)] = []
    if let type { options.append(("type", .string(type))) }
    if let offset { options.append(("offset", .uint16(offset))) }
    return Stage.call(path, interface, "WriteValue", [.bytes(bytes), .properties(options)])
  }

  static let writes: [ContractCase] = [
    ContractCase(.writes, "A write calls the application with value, device, link and MTU") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      async let result = result(stage, write(path, [1, 2]))
      let call = try await program.next("WriteValue", answer: .success([]))
      stage.check(call.call.arguments[0], .bytes([1, 2]))
      stage.check(
        call.call.arguments[1].asProperties,
        ["device": .objectPath(stage.central), "link": .string("LE"), "mtu": .uint16(517)])
      stage.check(call.call.expectsReply, true, "expects a reply")
      stage.check(await result, "[]")
    },
    ContractCase(.writes, "The offset of a write must be a uint16") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      for offset: DBusValue in [.int64(.max), .int32(-5), .uint32(3), .string("3")] {
        let options = DBusValue.properties([("offset", offset)])
        let call = Stage.call(path, BlueZName.gattCharacteristic, "WriteValue", [.bytes([0x41]), options])
        stage.check(await result(stage, call), "org.bluez.Error.InvalidArguments: Invalid arguments in method call")
      }
      stage.check(program.calls.left.map(\.call.member), [], "other calls")
    },
    ContractCase(.writes, "A write without response expects no reply, and its writer receives no error") {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["write-without-response"])
      stage.check(await result(stage, write(path, [1])), "[]")
      let call = try await program.next("WriteValue")
      stage.check(call.call.expectsReply, false)
    },
    ContractCase(
      .writes, "A write request to a characteristic with both kinds is acknowledged before the application responds"
    ) { stage throws in
      let (program, path) = try await stage.meet(flags: ["write", "write-without-response"])
      stage.check(await result(stage, write(path, [1], type: "request")), "[]")
      stage.check(try await program.next("WriteValue").call.expectsReply, false)
    },
    ContractCase(.writes, "Without a type the properties decide how a value is written") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write", "write-without-response"])
      stage.check(await result(stage, write(path, [1])), "[]")
      stage.check(try await program.next("WriteValue").call.arguments[0], .bytes([1]))
    },
    ContractCase(.writes, "The type decides how a value is written, whatever the properties are") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      stage.check(await result(stage, write(path, [1], type: "command")), "[]", "command")
      try await program.next("WriteValue", answer: .success([]))
      async let reliable = result(stage, write(path, [2], type: "reliable"))
      let call = try await program.next("WriteValue", answer: .success([]))
      stage.check(call.call.arguments[0], .bytes([2]))
      stage.check(await reliable, "[]", "reliable")
      stage.check(await result(stage, write(path, [1], type: "pigeon")), notSupported, "pigeon")
    },
    ContractCase(.writes, "A write request to a characteristic for writes without response is acknowledged") {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["write-without-response"])
      stage.check(await result(stage, write(path, [1], type: "request")), "[]")
      stage.check(try await program.next("WriteValue").call.arguments[0], .bytes([1]))
    },
    ContractCase(
      .writes, "Writing a characteristic without write properties is not supported, and requests are refused"
    ) {
      stage throws in
      let (_, path) = try await stage.meet(flags: ["read"])
      stage.check(await result(stage, write(path, [1])), notSupported)
      stage.check(
        await result(stage, write(path, [1], type: "request")), "org.bluez.Error.NotPermitted: Write not permitted",
        "request")
    },
    ContractCase(.writes, "A write to a descriptor reaches the application") { stage throws in
      let (program, path) = try await stage.meet(Program.objects(descriptor: ["read", "write"]))
      let descriptor = try await stage.object(BlueZName.gattDescriptor, Program.description, below: path)
      async let result = result(stage, write(descriptor, [1, 2], interface: BlueZName.gattDescriptor))
      let call = try await program.next("WriteValue", answer: .success([]))
      stage.check(call.call.path, Program.descriptor)
      stage.check(call.call.arguments[0], .bytes([1, 2]))
      stage.check(await result, "[]")
    },
    ContractCase(.writes, "A read-only descriptor cannot be written") { stage throws in
      let (_, path) = try await stage.meet(Program.objects(descriptor: ["read"]))
      let descriptor = try await stage.object(BlueZName.gattDescriptor, Program.description, below: path)
      stage.check(
        await result(stage, write(descriptor, [1], interface: BlueZName.gattDescriptor)),
        "org.bluez.Error.NotPermitted: Write not permitted")
    },
    ContractCase(.writes, "The client configuration cannot be written directly") { stage throws in
      let (_, path) = try await stage.meet(flags: ["notify"])
      let descriptor = try await stage.object(
        BlueZName.gattDescriptor, "00002902-0000-1000-8000-00805f9b34fb", below: path)
      stage.check(
        await result(stage, write(descriptor, [1, 0], interface: BlueZName.gattDescriptor)),
        "org.bluez.Error.NotPermitted: Write not permitted")
    },
    ContractCase(.writes, "A second write during a write is in progress") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      async let first = result(stage, write(path, [1]))
      let call = try await program.next("WriteValue")
      stage.check(await result(stage, write(path, [2])), "org.bluez.Error.InProgress: In Progress")
      await program.answer(call, .success([]))
      stage.check(await first, "[]")
    },
  ]
}
