import BleperaAir
import BleperaDBus
import BleperaVirtualBlueZ

/// Values that need more than one packet, and how long a value may be.
extension ContractCase {
  private static let tooLong = "org.bluez.Error.InvalidArguments: Invalid Length"

  private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

  static let longWrites: [ContractCase] = [
    ContractCase(.writes, "A request has 510 bytes at most from 5.63 to 5.68", releases: 63...68) { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      async let result = result(stage, write(path, bytes(510)))
      let call = try await program.next("WriteValue", answer: .success([]))
      stage.check(call.call.arguments[0], .bytes(bytes(510)))
      stage.check(await result, "[]")
      stage.check(await Self.result(stage, write(path, bytes(511))), tooLong)
    },
    ContractCase(.writes, "A write at an offset is prepared, and calls the application with its offset") {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      async let result = result(stage, write(path, [5, 6], offset: 2))
      let call = try await program.next("WriteValue", answer: .success([]))
      stage.check(call.call.arguments[0], .bytes([5, 6]))
      stage.check(call.call.arguments[1].asProperties?["offset"], .uint16(2))
      stage.check(await result, "[]")
    },
    ContractCase(
      .writes, "A write whose end is beyond 508 bytes at an offset is too long from 5.63 to 5.68", releases: 63...68
    ) {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      async let result = result(stage, write(path, bytes(8), offset: 500))
      try await program.next("WriteValue", answer: .success([]))
      stage.check(await result, "[]")
      stage.check(await Self.result(stage, write(path, bytes(9), offset: 500)), tooLong)
    },
    ContractCase(.writes, "A prepared write is refused by the application when it is executed") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      async let result = result(stage, write(path, [5], offset: 2))
      try await program.next("WriteValue", answer: .failure(.bluez("InvalidOffset", "")))
      stage.check(await result, "org.bluez.Error.InvalidArguments: Invalid offset")
    },
    ContractCase(.writes, "A reliable write is prepared, and is one call of the application") { stage throws in
      let (program, path) = try await stage.meet(flags: ["write", "reliable-write"])
      async let result = result(stage, write(path, [1, 2, 3], type: "reliable"))
      let call = try await program.next("WriteValue", answer: .success([]))
      stage.check(call.call.arguments[0], .bytes([1, 2, 3]))
      stage.check(call.call.arguments[1].asProperties?["offset"], nil)
      stage.check(await result, "[]")
    },
    ContractCase(.writes, "A prepared write that needs authorization calls the application first") {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["write", "authorize"])
      async let result = result(stage, write(path, [1], offset: 1))
      let asked = try await program.next("WriteValue", answer: .success([]))
      stage.check(asked.call.arguments[1].asProperties?["prepare-authorize"], .boolean(true))
      stage.check(asked.call.arguments[0], .bytes([]))
      let call = try await program.next("WriteValue", answer: .success([]))
      stage.check(call.call.arguments[1].asProperties?["prepare-authorize"], nil)
      stage.check(call.call.arguments[0], .bytes([1]))
      stage.check(await result, "[]")
    },
    ContractCase(.writes, "A write without response that exceeds a packet is not sent") { stage throws in
      let (_, path) = try await stage.meet(flags: ["write-without-response"])
      stage.check(
        await result(stage, write(path, bytes(515), type: "command")),
        "org.bluez.Error.Failed: Failed to initiate write")
    },
  ]
}
