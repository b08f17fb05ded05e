import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

extension ContractCase {
  private static let unlikely = "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e"
  static let alreadyExists = "org.bluez.Error.AlreadyExists: Already Exists"
  static let authenticationFailed = "org.bluez.Error.AuthenticationFailed: Authentication Failed"
  private static let device = BlueZName.device

  private static func pair(_ stage: Stage) async -> Mailbox<String> {
    let results = Mailbox<String>()
    let call = Stage.call(stage.phone, device, "Pair")
    _ = await stage.client.start(call, timeout: .seconds(60)) { result in
      switch result {
      case .success(let values): results.put("\(values)")
      case .failure(.remote(let error)): results.put("\(error)")
      case .failure(let failure): results.put("\(failure)")
      }
    }
    return results
  }

  static let pairing: [ContractCase] = [
    ContractCase(.pairing, "A read that needs encryption pairs, where the agent allows it") { stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput", allows: true)
      let (program, path) = try await stage.meet(flags: ["encrypt-read"])
      async let result = result(stage, read(path))
      try await agent.questions.wait { question -> Void? in
        question.call.member == "RequestAuthorization" && question.call.arguments == [.objectPath(stage.central)]
          ? () : nil
      }
      try await program.next("ReadValue", answer: .success([.bytes([1])]))
      stage.check(await result, value([1]))
      if stage.minor >= 65 { try await stage.reach("Bonded", of: stage.phone, device, toBe: .boolean(true)) }
      try await stage.reach("Paired", of: stage.central, device, toBe: .boolean(true))
    },
    ContractCase(.pairing, "A read that needs encryption is refused where the agent rejects it") { stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput")
      let (_, path) = try await stage.meet(flags: ["encrypt-read"])
      async let result = result(stage, read(path))
      try await agent.next("RequestAuthorization", answer: .failure(.bluez("Rejected", "")))
      // The real bluetoothd gives no answer from 5.82 on, until ATT gives up after 30 s.
      if !stage.radio.isReal || stage.minor < 82 { stage.check(await result, unlikely) }
      stage.check(try await stage.get(stage.phone, device, "Paired"), .boolean(false))
    },
    ContractCase(.pairing, "A write may need encryption") { stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput", allows: true)
      let (program, path) = try await stage.meet(flags: ["encrypt-write"])
      async let result = result(stage, write(path, [1]))
      try await agent.next("RequestAuthorization")
      stage.check(try await program.next("WriteValue", answer: .success([])).call.arguments[0], .bytes([1]))
      stage.check(await result, "[]")
    },
    ContractCase(.pairing, "A subscription may need encryption") { stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput", allows: true)
      guard stage.minor >= 62 else {
        let program = Program(connection: stage.app)
        await program.export(Program.objects(flags: ["encrypt-notify"]))
        return stage.check(await program.register(), "org.bluez.Error.Failed: No valid service object found")
      }
      let (program, path) = try await stage.meet(flags: ["encrypt-notify"])
      async let result = result(stage, start(path))
      try await agent.next("RequestAuthorization")
      _ = try await program.next("StartNotify")
      stage.check(await result, "[]")
    },
    ContractCase(.pairing, "Without an agent there is no pairing") { stage throws in
      let (_, path) = try await stage.meet(flags: ["encrypt-read"])
      stage.check(await stage.refusal(stage.phone, device, "Pair"), authenticationFailed, "Pair")
      // The real one gives no answer at all, until ATT gives up after 30 s.
      if !stage.radio.isReal { stage.check(await result(stage, read(path)), unlikely, "ReadValue") }
    },
    ContractCase(.pairing, "Pair calls the other side's agent, pairs both sides, and fails a second time") {
      stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput")
      _ = try await stage.meet(flags: ["read"])
      let results = await pair(stage)
      try await agent.next("RequestAuthorization", answer: .success([]))
      stage.check(try await results.next(), "[]")
      stage.check(try await stage.get(stage.phone, device, "Paired"), .boolean(true))
      try await stage.reach("Paired", of: stage.central, device, toBe: .boolean(true))
      if stage.minor >= 65 { try await stage.reach("Bonded", of: stage.phone, device, toBe: .boolean(true)) }
      stage.check(
        await stage.refusal(stage.phone, device, "Pair"),
        stage.minor < 79 ? authenticationFailed : alreadyExists, "again")
    },
    ContractCase(.pairing, "A passkey is displayed on one side and entered on the other", releases: 55...80) {
      stage throws in
      let shown = try await Agent(stage.app, "DisplayOnly")
      _ = try await stage.meet(flags: ["read"])
      let typed = try await Agent(stage.client, "KeyboardOnly", isDefault: false)
      let results = await pair(stage)
      let display = try await shown.next("DisplayPasskey", answer: .success([]))
      stage.check(display.call.arguments[0], .objectPath(stage.central))
      stage.check(display.call.arguments[2], .uint16(0), "entered")
      let request = try await typed.next("RequestPasskey", answer: .success([display.call.arguments[1]]))
      stage.check(request.call.arguments, [.objectPath(stage.phone)])
      stage.check(try await results.next(), "[]")
    },
    ContractCase(.pairing, "A wrong passkey fails", releases: 55...80) { stage throws in
      let shown = try await Agent(stage.app, "DisplayOnly")
      _ = try await stage.meet(flags: ["read"])
      let typed = try await Agent(stage.client, "KeyboardOnly", isDefault: false)
      let results = await pair(stage)
      let display = try await shown.next("DisplayPasskey", answer: .success([]))
      guard case .uint32(let passkey) = display.call.arguments[1] else { return }
      try await typed.next("RequestPasskey", answer: .success([.uint32((passkey + 1) % 1_000_000)]))
      stage.check(try await results.next(), authenticationFailed)
    },
    ContractCase(
      .pairing, "A connected device is paired with the capability of the default agent", releases: 81...87
    ) { stage throws in
      let shown = try await Agent(stage.app, "DisplayOnly")
      _ = try await stage.meet(flags: ["read"])
      _ = try await Agent(stage.client, "KeyboardOnly", isDefault: false)
      let results = await pair(stage)
      // Two that can only show: the kernel wants protection against a machine in the middle, and refuses.
      guard !stage.radio.isReal else { return stage.check(try await results.next(), authenticationFailed) }
      try await shown.next("RequestAuthorization", answer: .success([]))
      stage.check(try await results.next(), "[]")
    },
    ContractCase(.pairing, "Two agents with display and confirmation receive the same number") { stage throws in
      let first = try await Agent(stage.app, "DisplayYesNo")
      _ = try await stage.meet(flags: ["read"])
      let second = try await Agent(stage.client, "DisplayYesNo", isDefault: false)
      let results = await pair(stage)
      let one = try await first.next("RequestConfirmation", answer: .success([]))
      let other = try await second.next("RequestConfirmation", answer: .success([]))
      stage.check(one.call.arguments[1], other.call.arguments[1])
      stage.check(try await results.next(), "[]")
    },
    ContractCase(.pairing, "Rejecting the number fails the pairing") { stage throws in
      let first = try await Agent(stage.app, "DisplayYesNo")
      _ = try await stage.meet(flags: ["read"])
      let second = try await Agent(stage.client, "DisplayYesNo", isDefault: false)
      let results = await pair(stage)
      _ = try await first.next("RequestConfirmation")
      try await second.next("RequestConfirmation", answer: .failure(.bluez("Rejected", "")))
      stage.check(try await results.next(), authenticationFailed)
    },
    ContractCase(.pairing, "CancelPairing ends the pairing, and the agent is notified") { stage throws in
      _ = try await Agent(stage.app, "DisplayYesNo")
      _ = try await stage.meet(flags: ["read"])
      let second = try await Agent(stage.client, "DisplayYesNo", isDefault: false)
      let results = await pair(stage)
      _ = try await second.next("RequestConfirmation")
      stage.check(await stage.refusal(stage.phone, device, "Pair"), "org.bluez.Error.InProgress: In Progress")
      stage.check(await stage.refusal(stage.phone, device, "CancelPairing"), nil)
      _ = try await second.next("Cancel")
      stage.check(try await results.next(), "org.bluez.Error.AuthenticationCanceled: Authentication Canceled")
    },
    ContractCase(.pairing, "A bond outlives the connection and ends with RemoveDevice") { stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput")
      let (program, path) = try await stage.meet(flags: ["encrypt-read"])
      let results = await pair(stage)
      try await agent.next("RequestAuthorization", answer: .success([]))
      stage.check(try await results.next(), "[]")
      try await stage.ask(stage.phone, device, "Disconnect")
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
      stage.check(await stage.refusal(stage.phone, device, "Connect"), nil)
      async let result = result(stage, read(path))
      try await program.next("ReadValue", answer: .success([.bytes([1])]))
      stage.check(await result, value([1]))
      try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "RemoveDevice", [.objectPath(stage.phone)])
      try await stage.waitForObject(stage.phone, toBeThere: false)
    },
    ContractCase(.pairing, "A bonded central's subscription outlives the connection") { stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput")
      let (program, path) = try await stage.meet(flags: ["notify"])
      let results = await pair(stage)
      try await agent.next("RequestAuthorization", answer: .success([]))
      stage.check(try await results.next(), "[]")
      stage.check(await Self.result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await stage.ask(stage.phone, device, "Disconnect")
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
      stage.check(await stage.refusal(stage.phone, device, "Connect"), nil)
      try await stage.reach("ServicesResolved", of: stage.phone, device, toBe: .boolean(true))
      stage.check(program.calls.left.map(\.call.member), [], "the calls of the application")
    },
  ]
}
