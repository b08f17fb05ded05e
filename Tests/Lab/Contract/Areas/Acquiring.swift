import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import BusTesting

/// Values over descriptors, at either end.
extension ContractCase {
  private static let acquired: Program.Properties = [("NotifyAcquired", .boolean(false))]
  private static let busy = "org.bluez.Error.NotPermitted: Notify acquired"

  private static func acquire(_ member: MemberName, _ path: ObjectPath) -> MethodCall {
    Stage.call(path, BlueZName.gattCharacteristic, member, [.properties([])])
  }

  /// Answers AcquireNotify; the other end is then bluetoothd's alone.
  private static func giveDescriptor(_ stage: Stage, _ program: Program) async throws -> SequencedSocket {
    let (own, other) = try stage.require(SequencedSocket.pair(), "pair of sockets")
    try await program.next("AcquireNotify", answer: .success([.unixFD(other), .uint16(517)]))
    return own
  }

  private static let refusedAcquiring: [(String, DBusErrorReply, startsNotify: Bool)] = [
    ("NotSupported", .bluez("NotSupported", ""), true), ("Failed", .bluez("Failed", ""), false),
    ("UnknownMethod", DBusErrorReply(name: .unknownMethod, message: ""), true),
  ]

  static let acquiring: [ContractCase] =
    refusedAcquiring.map { name, error, startsNotify in
      ContractCase(
        .acquiring,
        "A program that answers AcquireNotify with \(name) \(startsNotify ? "receives" : "does not receive") StartNotify"
      ) { stage throws in
        let (program, path) = try await stage.meet(flags: ["notify"], value: acquired)
        stage.check(await result(stage, start(path)), "[]")
        let call = try await program.next("AcquireNotify", answer: .failure(error))
        stage.check(
          call.call.arguments.first?.asProperties,
          ["device": .objectPath(stage.central), "link": .string("LE"), "mtu": .uint16(517)])
        if startsNotify { _ = try await program.next("StartNotify") }
        try await program.notify([1])
        try await stage.wait(for: "Value", of: path, toBe: .bytes([1]))
        stage.check(program.calls.left.map(\.call.member), [], "other calls")
      }
    }
    + ["notify", "indicate"].map { flag in
      ContractCase(.acquiring, "A client that has subscribed by StartNotify cannot acquire: \(flag)") { stage throws in
        let (_, path) = try await stage.meet(flags: [flag])
        stage.check(await result(stage, start(path)), "[]")
        stage.check(
          await result(stage, acquire("AcquireNotify", path)), "org.bluez.Error.InProgress: In Progress")
      }
    } + [
      ContractCase(.acquiring, "Values that an application writes to its descriptor are notified") { stage throws in
        let (program, path) = try await stage.meet(flags: ["notify"], value: acquired)
        stage.check(await result(stage, start(path)), "[]")
        let (own, other) = try stage.require(SequencedSocket.pair(), "pair of sockets")
        try await program.next("AcquireNotify", answer: .success([.unixFD(other), .uint16(517)]))
        for value: UInt8 in 1...3 {
          own.send([value])
          try await stage.wait(for: "Value", of: path, toBe: .bytes([value]))
        }
      },
      ContractCase(.acquiring, "An application's descriptor is closed when the subscriber disconnects") {
        stage throws in
        let (program, path) = try await stage.meet(flags: ["notify"], value: acquired)
        stage.check(await result(stage, start(path)), "[]")
        let own = try await giveDescriptor(stage, program)
        let ended = Mailbox<Bool>()
        let source = own.watch(on: stage.app.loop) { _ in
        } end: {
          ended.put(true)
        }
        own.send([1])
        try await stage.wait(for: "Value", of: path, toBe: .bytes([1]))
        stage.check(await result(stage, stop(path)), "[]")
        stage.check(try await ended.next(), true)
        source.cancel()
      },
      ContractCase(
        .acquiring, "A client receives the values by its descriptor, and not by signals", releases: since66
      ) { stage throws in
        let (program, path) = try await stage.meet(flags: ["notify"])
        let answer = try await stage.client.call(acquire("AcquireNotify", path))
        let socket = try stage.require(answer.first?.fileDescriptor.flatMap { SequencedSocket($0) }, "descriptor")
        stage.check(answer.last, .uint16(517))
        _ = try await program.next("StartNotify")
        let values = Mailbox<[UInt8]>()
        let source = socket.watch(on: stage.client.loop) {
          values.put($0)
        } end: {
        }
        for value: UInt8 in 1...3 { try await program.notify([value]) }
        stage.check(try await values.next(3), [[1], [2], [3]])
        stage.check(
          stage.signals.left.compactMap { Stage.change(of: "Value", of: path, in: $0) }, [], "signals")
        source.cancel()
      },
      ContractCase(.acquiring, "A second client cannot acquire the notifications of a characteristic") { stage throws in
        let (program, path) = try await stage.meet(flags: ["notify"])
        let answer = try await stage.client.call(acquire("AcquireNotify", path))
        _ = try await program.next("StartNotify")
        stage.check(
          try await stage.get(path, BlueZName.gattCharacteristic, "NotifyAcquired"), .boolean(true), "NotifyAcquired")
        stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "Notifying"), .boolean(false), "Notifying")
        stage.check(await result(stage, start(path)), busy, "StartNotify")
        stage.check(await result(stage, acquire("AcquireNotify", path)), busy, "AcquireNotify")
        stage.check(await Stage.refusal(stage.app, start(path)), busy, "of another")
        withExtendedLifetime(answer) {}
      },
      ContractCase(.acquiring, "A client that closes its descriptor unsubscribes") { stage throws in
        let (program, path) = try await stage.meet(flags: ["notify"])
        do {
          let answer = try await stage.client.call(acquire("AcquireNotify", path))
          _ = try await program.next("StartNotify")
          withExtendedLifetime(answer) {}
        }
        _ = try await program.next("StopNotify")
        try await stage.reach("NotifyAcquired", of: path, BlueZName.gattCharacteristic, toBe: .boolean(false))
        stage.check(await result(stage, start(path)), "[]", "and may subscribe again")
      },
      ContractCase(.acquiring, "Values that a client writes to its descriptor are writes without response") {
        stage throws in
        let (program, path) = try await stage.meet(flags: ["write-without-response"])
        let answer = try await stage.client.call(acquire("AcquireWrite", path))
        stage.check(answer.last, .uint16(517))
        stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "WriteAcquired"), .boolean(true))
        let socket = try stage.require(answer.first?.fileDescriptor.flatMap { SequencedSocket($0) }, "descriptor")
        socket.send([7, 8])
        let call = try await program.next("WriteValue")
        stage.check(call.call.arguments.first, .bytes([7, 8]))
        stage.check(call.call.expectsReply, false)
        stage.check(
          await result(stage, acquire("AcquireWrite", path)), "org.bluez.Error.NotPermitted: Write acquired", "twice")
        stage.check(
          await result(stage, write(path, [1])), "org.bluez.Error.NotPermitted: Write acquired", "WriteValue")
        withExtendedLifetime(socket) {}
      },
      ContractCase(.acquiring, "Closing the descriptor ends the acquired writing") { stage throws in
        let (_, path) = try await stage.meet(flags: ["write-without-response"])
        do {
          let answer = try await stage.client.call(acquire("AcquireWrite", path))
          withExtendedLifetime(answer) {}
        }
        try await stage.reach("WriteAcquired", of: path, BlueZName.gattCharacteristic, toBe: .boolean(false))
      },
      ContractCase(.acquiring, "Indications can be acquired from 5.80 on", releases: since66) { stage throws in
        let (_, path) = try await stage.meet(flags: ["indicate"])
        stage.check(
          try await stage.properties(path, BlueZName.gattCharacteristic)["NotifyAcquired"], nil, "the property")
        let answer = try? await stage.client.call(acquire("AcquireNotify", path))
        stage.check(answer != nil, stage.minor >= 80, "AcquireNotify")
        guard let answer else { return }
        // A property that is not there cannot have changed.
        try await stage.wait { signal -> Void? in
          signal.path == path && signal.member == "PropertiesChanged"
            && signal.arguments[2].stringArray?.contains("NotifyAcquired") == true ? () : nil
        }
        stage.check(
          try await stage.properties(path, BlueZName.gattCharacteristic)["NotifyAcquired"], nil, "the property then")
        withExtendedLifetime(answer) {}
      },
      ContractCase(.acquiring, "Acquiring a characteristic without the property is not supported") { stage throws in
        let (_, path) = try await stage.meet(flags: ["read", "write"])
        stage.check(await result(stage, acquire("AcquireNotify", path)), notSupported, "AcquireNotify")
        stage.check(await result(stage, acquire("AcquireWrite", path)), notSupported, "AcquireWrite")
      },
    ]
}
