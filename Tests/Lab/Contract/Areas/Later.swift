import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import BusTesting

/// Behavior of releases after 5.66 that differs; measured on 5.82.
extension ContractCase {
  private static let since82 = 82...87

  static let later: [ContractCase] = [
    ContractCase(.advertising, "32 bytes make an extended advertisement", releases: since82) { stage throws in
      stage.check(
        await Program(connection: stage.app).advertise([
          peripheral, ("ManufacturerData", .variants([(1, .bytes(Array(repeating: 0, count: 28)))])),
        ]), nil)
    },
    ContractCase(.advertising, "An advertisement that includes the appearance is refused", releases: since82) {
      stage throws in
      stage.check(
        await Program(connection: stage.app).advertise([peripheral, ("Includes", .strings(["appearance"]))]),
        notRegistered)
    },
    ContractCase(.writes, "A request has 512 bytes", releases: since82) { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      let bytes = [UInt8](repeating: 1, count: 512)
      async let result = result(stage, write(path, bytes))
      stage.check(try await program.next("WriteValue", answer: .success([])).call.arguments[0], .bytes(bytes))
      stage.check(await result, "[]")
    },
    ContractCase(.writes, "A program may say that it is improperly configured", releases: since82) { stage throws in
      let (program, path) = try await stage.meet(flags: ["write"])
      async let result = result(stage, write(path, [1]))
      try await program.next("WriteValue", answer: .failure(.bluez("ImproperlyConfigured", "")))
      stage.check(await result, "org.bluez.Error.Failed: Operation failed with ATT error: 0xfd")
    },
    ContractCase(.acquiring, "The confirmation of an indication is written to the descriptor", releases: since82) {
      stage throws in
      let (program, path) = try await stage.meet(
        flags: ["indicate"], value: [("NotifyAcquired", .boolean(false))])
      stage.check(await result(stage, start(path)), "[]")
      let (own, other) = try stage.require(SequencedSocket.pair(), "pair of sockets")
      let bytes = Mailbox<[UInt8]>()
      let source = own.watch(on: stage.app.loop) {
        bytes.put($0)
      } end: {
      }
      try await program.next("AcquireNotify", answer: .success([.unixFD(other), .uint16(517)]))
      own.send([5])
      try await stage.wait(for: "Value", of: path, toBe: .bytes([5]))
      stage.check(try await bytes.next(), [1])
      source.cancel()
    },
  ]
}
