import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

/// Notifications and indications by signal.
extension ContractCase {
  static func start(_ path: ObjectPath) -> MethodCall { Stage.call(path, BlueZName.gattCharacteristic, "StartNotify") }
  static func stop(_ path: ObjectPath) -> MethodCall { Stage.call(path, BlueZName.gattCharacteristic, "StopNotify") }

  static let notifying: [ContractCase] = [
    ContractCase(.notifying, "Subscribing calls the application, and values are signaled as property changes") {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      let call = try await program.next("StartNotify")
      stage.check(call.call.arguments, [])
      stage.check(call.call.expectsReply, false)
      stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "Notifying"), .boolean(true))
      for value: [UInt8] in [[1], [2], [2], []] {
        try await program.notify(value)
        try await stage.wait(for: "Value", of: path, toBe: .bytes(value))
      }
    },
    ContractCase(.notifying, "Unsubscribing calls the application") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      stage.check(await result(stage, stop(path)), "[]")
      _ = try await program.next("StopNotify")
      stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "Notifying"), .boolean(false))
      stage.check(
        await result(stage, stop(path)), "org.bluez.Error.Failed: No notify session started", "again")
    },
    ContractCase(.notifying, "A client that subscribes again has one subscription") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      for _ in 0..<2 { stage.check(await result(stage, start(path)), "[]") }
      stage.check(await result(stage, stop(path)), "[]")
      _ = try await program.next("StopNotify")
      stage.check(
        await result(stage, stop(path)), "org.bluez.Error.Failed: No notify session started", "again")
    },
    ContractCase(.notifying, "Subscribing to a characteristic that does not notify is not supported") { stage throws in
      let (_, path) = try await stage.meet(flags: ["read"])
      stage.check(await result(stage, start(path)), notSupported)
      stage.check(
        await result(stage, stop(path)), "org.bluez.Error.Failed: No notify session started", "StopNotify")
    },
    ContractCase(.notifying, "Two clients share a subscription, and the last one ends it") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      stage.check(await Stage.refusal(stage.app, start(path)), nil, "the other")
      _ = try await program.next("StartNotify")
      stage.check(await result(stage, stop(path)), "[]")
      stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "Notifying"), .boolean(true))
      stage.check(await Stage.refusal(stage.app, stop(path)), nil, "the other")
      _ = try await program.next("StopNotify")
      stage.check(program.calls.left.map(\.call.member), [], "other calls")
    },
    ContractCase(.notifying, "A value is signaled once for each client that has subscribed") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      stage.check(await Stage.refusal(stage.app, start(path)), nil, "the other")
      _ = try await program.next("StartNotify")
      for value: UInt8 in 1...3 {
        try await program.notify([value])
        for _ in 0..<2 {
          let signaled = try await stage.wait { Stage.change(of: "Value", of: path, in: $0) }
          stage.check(signaled, .bytes([value]))
        }
      }
    },
    ContractCase(.notifying, "A notified value is truncated to the packet") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await program.notify([UInt8](repeating: 3, count: 600))
      let value = try await stage.wait { Stage.change(of: "Value", of: path, in: $0) }
      stage.check(value.byteArray?.count, 512)
    },
    ContractCase(.notifying, "The confirmation of an indication is reported to the application") { stage throws in
      let (program, path) = try await stage.meet(flags: ["indicate"])
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      for value: UInt8 in 1...2 {
        try await program.notify([value])
        try await stage.wait(for: "Value", of: path, toBe: .bytes([value]))
        let call = try await program.next("Confirm")
        stage.check(call.call.arguments, [])
        stage.check(call.call.expectsReply, false)
      }
    },
    ContractCase(.notifying, "A client subscribes to notifications where a characteristic has both kinds") {
      stage throws in
      let (program, path) = try await stage.meet(flags: ["notify", "indicate"])
      guard stage.minor >= 59 else {
        let error = "org.bluez.Error.Failed: Operation failed with ATT error: 0xfd"
        return stage.check(await result(stage, start(path)), error, "for both")
      }
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await program.notify([1])
      try await program.notify([2])
      try await stage.wait(for: "Value", of: path, toBe: .bytes([2]))
      stage.check(program.calls.left.map(\.call.member), [], "a Confirm")
    },
    ContractCase(.notifying, "The client configuration is read as it was set") { stage throws in
      let (program, path) = try await stage.meet(flags: ["indicate"])
      let descriptor = try await stage.object(
        BlueZName.gattDescriptor, "00002902-0000-1000-8000-00805f9b34fb", below: path)
      let read = Stage.call(descriptor, BlueZName.gattDescriptor, "ReadValue", [.properties([])])
      stage.check(await result(stage, read), value([0, 0]))
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      stage.check(await result(stage, read), value([2, 0]))
    },
    ContractCase(.notifying, "A change of a value without subscribers is not sent") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      try await program.notify([1])
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await program.notify([2])
      let first = try await stage.wait { Stage.change(of: "Value", of: path, in: $0) }
      stage.check(first, .bytes([2]))
    },
    ContractCase(.notifying, "A client that leaves the bus ends its subscription") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      await stage.client.close()
      _ = try await program.next("StopNotify")
    },
    ContractCase(.notifying, "A disconnection ends the subscription of a central that is not bonded") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await stage.ask(stage.phone, BlueZName.device, "Disconnect")
      _ = try await program.next("StopNotify")
      try await stage.reach("Connected", of: stage.phone, BlueZName.device, toBe: .boolean(false))
    },
    ContractCase(.notifying, "Removing a service ends the client's subscription") { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      stage.check(await program.unregister(), nil)
      try await stage.waitForObject(path, toBeThere: false)
      stage.check(program.calls.left.map(\.call.member), [], "a call of the program that asked for it")
    },
  ]
}
