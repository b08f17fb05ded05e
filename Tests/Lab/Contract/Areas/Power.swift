import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

extension ContractCase {
  private static let notReady = "org.bluez.Error.NotReady: Resource Not Ready"

  private static func power(_ stage: Stage, _ adapter: ObjectPath, _ isOn: Bool) async throws {
    try await stage.set(adapter, BlueZName.adapter, "Powered", .boolean(isOn))
    try await stage.reach("Powered", of: adapter, BlueZName.adapter, toBe: .boolean(isOn))
  }

  static let power: [ContractCase] = [
    ContractCase(.power, "Without power there is no discovery, and a running discovery ends") { stage throws in
      try await stage.ask(Stage.clientAdapter, BlueZName.adapter, "StartDiscovery")
      try await stage.reach("Discovering", of: Stage.clientAdapter, BlueZName.adapter, toBe: .boolean(true))
      try await power(stage, Stage.clientAdapter, false)
      try await stage.reach("Discovering", of: Stage.clientAdapter, BlueZName.adapter, toBe: .boolean(false))
      stage.check(
        await stage.refusal(Stage.clientAdapter, BlueZName.adapter, "StartDiscovery"), notReady, "StartDiscovery")
      stage.check(
        await stage.refusal(Stage.clientAdapter, BlueZName.adapter, "StopDiscovery"), notReady, "StopDiscovery")
      stage.check(
        await stage.refusal(Stage.clientAdapter, BlueZName.adapter, "SetDiscoveryFilter", [.properties([])]),
        notReady, "SetDiscoveryFilter")
    },
    ContractCase(.power, "Without power there is no connection to a bonded device") { stage throws in
      let agent = try await Agent(stage.app, "NoInputNoOutput")
      try await stage.goOnAir()
      try await stage.connect()
      // A device without a bond is forgotten.
      async let paired = stage.refusal(stage.phone, BlueZName.device, "Pair")
      try await agent.next("RequestAuthorization", answer: .success([]))
      stage.check(await paired, nil)
      try await stage.ask(stage.phone, BlueZName.device, "Disconnect")
      try await stage.reach("Connected", of: stage.phone, BlueZName.device, toBe: .boolean(false))
      try await power(stage, Stage.clientAdapter, false)
      stage.check(
        await stage.refusal(stage.phone, BlueZName.device, "Connect"), "org.bluez.Error.Failed: Input/output error",
        "Connect")
      stage.check(
        await stage.refusal(stage.phone, BlueZName.device, "Pair"),
        stage.minor < 79 ? authenticationFailed : alreadyExists, "Pair")
    },
    ContractCase(.power, "Devices that were only discovered are removed at power-off", releases: since66) {
      stage throws in
      try await stage.goOnAir()
      try await stage.find()
      try await power(stage, Stage.clientAdapter, false)
      stage.check(try await stage.objects()[stage.phone] == nil, true, "the phone is removed")
    },
    ContractCase(
      .power, "Without power there is no advertising, and an advertisement is lost though it is counted",
      releases: since66
    ) {
      stage throws in
      let advertisement = try await stage.goOnAir()
      try await power(stage, Stage.appAdapter, false)
      stage.check(
        try await stage.get(Stage.appAdapter, BlueZName.advertisingManager, "ActiveInstances"), .byte(1))
      let other = Program(connection: stage.app, root: "/other")
      stage.check(
        await other.advertise([("Type", .string("peripheral"))]),
        "org.bluez.Error.Failed: Failed to register advertisement")
      stage.check(advertisement.calls.left.filter { $0.call.member == "Release" }.count, 0, "Release")
      try await power(stage, Stage.appAdapter, true)
      stage.check(
        try await stage.get(Stage.appAdapter, BlueZName.advertisingManager, "ActiveInstances"), .byte(1), "on again")
      stage.check(await advertisement.withdraw(), nil)
      stage.check(await advertisement.advertise(Program.lively), nil, "registered again")
      try await stage.find()
    },
    ContractCase(.power, "Power-off ends connections and keeps applications") { stage throws in
      let (program, _) = try await stage.meet(flags: ["read"])
      try await power(stage, Stage.appAdapter, false)
      try await stage.reach("Connected", of: stage.phone, BlueZName.device, toBe: .boolean(false))
      try await power(stage, Stage.appAdapter, true)
      stage.check(await program.register(), "org.bluez.Error.AlreadyExists: Already Exists")
    },
    ContractCase(.power, "An application is registered without power too") { stage throws in
      try await power(stage, Stage.appAdapter, false)
      let program = Program(connection: stage.app)
      await program.export(Program.objects())
      stage.check(await program.register(), nil)
    },
    ContractCase(.power, "An adapter is discoverable only with power") { stage throws in
      try await stage.set(Stage.appAdapter, BlueZName.adapter, "Discoverable", .boolean(true))
      try await stage.reach("Discoverable", of: Stage.appAdapter, BlueZName.adapter, toBe: .boolean(true))
      try await power(stage, Stage.appAdapter, false)
      try await stage.reach("Discoverable", of: Stage.appAdapter, BlueZName.adapter, toBe: .boolean(false))
      stage.check(
        await stage.refusal(
          Stage.appAdapter, .properties, "Set",
          [.string(BlueZName.adapter.rawValue), .string("Discoverable"), .variant(.boolean(true))]),
        "org.bluez.Error.Failed: Not Powered")
    },
    ContractCase(.power, "Discoverable ends after its timeout") { stage throws in
      try await stage.set(Stage.appAdapter, BlueZName.adapter, "DiscoverableTimeout", .uint32(2))
      try await stage.set(Stage.appAdapter, BlueZName.adapter, "Discoverable", .boolean(true))
      try await stage.wait(for: "Discoverable", of: Stage.appAdapter, toBe: .boolean(true))
      await stage.radio.pass(.seconds(3))
      try await stage.wait(for: "Discoverable", of: Stage.appAdapter, toBe: .boolean(false))
    },
  ]
}
