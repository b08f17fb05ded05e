import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

extension ContractCase {
  static let restarts: [ContractCase] = [
    ContractCase(.restarts, "A removed adapter is removed with its devices, and its advertisements are released") {
      stage throws in
      let advertisement = try await stage.goOnAir()
      try await stage.connect()
      try await stage.radio.plug(0, isIn: false)
      _ = try await advertisement.next("Release")
      try await stage.reach("Connected", of: stage.phone, BlueZName.device, toBe: .boolean(false))
      try await stage.waitForObject(Stage.appAdapter, toBeThere: false)
      try await stage.radio.plug(0, isIn: true)
      // bluetoothd signals the adapter first, then its advertising manager.
      try await stage.wait(for: "ActiveInstances", of: Stage.appAdapter, toBe: .byte(0))
    },
    ContractCase(.restarts, "A daemon that stops releases advertisements and agents") { stage throws in
      let advertisement = try await stage.goOnAir()
      let agent = try await Agent(stage.app, "NoInputNoOutput")
      try await stage.radio.restart(isCrash: false)
      _ = try await advertisement.next("Release")
      _ = try await agent.next("Release")
      let program = Program(connection: stage.app)
      await program.export(Program.objects())
      stage.check(await program.register(), nil, "registered again")
    },
    ContractCase(.restarts, "A daemon that crashes releases nothing, and has no applications afterwards") {
      stage throws in
      let program = Program(connection: stage.app)
      await program.export(Program.objects())
      stage.check(await program.register(), nil)
      try await stage.radio.restart(isCrash: true)
      stage.check(program.calls.left.map(\.call.member), [])
      stage.check(await program.register(), nil, "registered again")
    },
  ]
}
