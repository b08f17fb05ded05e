import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

/// Connections: how they come, go and fail.
extension ContractCase {
  private static let device = BlueZName.device
  private static let connect: MemberName = "Connect"
  private static func underWay(_ stage: Stage) -> String {
    stage.minor < 81
      ? "org.bluez.Error.Failed: Operation already in progress" : "org.bluez.Error.InProgress: In Progress"
  }

  /// The changes of the phone's object in the order of the signals, until both properties have changed.
  private static func changes(_ stage: Stage, to value: Bool) async throws -> [String] {
    var changed: [String] = []
    while !Set(changed).isSuperset(of: ["Connected \(value)", "ServicesResolved \(value)"]) {
      let signal = try await stage.signals.next()
      guard signal.path == stage.phone, signal.member == "PropertiesChanged",
        signal.arguments.first?.text == device.rawValue
      else { continue }
      for (name, value) in (signal.arguments[1].asProperties ?? [:]).sorted(by: { $0.key < $1.key })
      where ["Connected", "ServicesResolved"].contains(name) {
        changed.append("\(name) \(value)")
      }
    }
    return changed
  }

  static let connecting: [ContractCase] = [
    ContractCase(.connecting, "Connect returns when the link is established") { stage throws in
      try await stage.goOnAir()
      try await stage.find()
      stage.check(await stage.refusal(stage.phone, device, connect), nil)
      stage.check(try await stage.get(stage.phone, device, "Connected"), .boolean(true))
    },
    ContractCase(.connecting, "Connected is signaled before ServicesResolved, and reset after it") { stage throws in
      try await stage.goOnAir()
      try await stage.find()
      try await stage.ask(stage.phone, device, connect)
      stage.check(
        try await changes(stage, to: true),
        ["Connected true", "ServicesResolved true"])
      try await stage.ask(stage.phone, device, "Disconnect")
      // 5.82 with Linux 6.12 signals both at once.
      let changed = try await changes(stage, to: false)
      stage.check(
        stage.minor < 82 ? changed : changed.sorted().reversed(), ["ServicesResolved false", "Connected false"])
    },
    ContractCase(
      .connecting, "Disconnect is answered after ServicesResolved is false, and from 5.79 on after Connected too",
      releases: since66
    ) { stage throws in
      try await stage.goOnAir()
      try await stage.connect()
      stage.check(
        try await stage.ended(beforeAnswerOf: Stage.call(stage.phone, device, "Disconnect")),
        stage.minor < 79 ? ["ServicesResolved"] : ["ServicesResolved", "Connected"])
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
    },
    ContractCase(.connecting, "The application's adapter has the central as a connected device") { stage throws in
      try await stage.goOnAir()
      try await stage.connect()
      let properties = try await stage.properties(stage.central, device)
      stage.check(properties["Connected"], .boolean(true))
      stage.check(properties["Address"], .string(stage.clientAddress))
      stage.check(properties["Paired"], .boolean(false))
      try await stage.ask(stage.phone, device, "Disconnect")
      try await stage.reach("Connected", of: stage.central, device, toBe: .boolean(false))
    },
    ContractCase(.connecting, "The application's adapter may disconnect a central") { stage throws in
      try await stage.goOnAir()
      try await stage.connect()
      try await stage.ask(stage.central, device, "Disconnect")
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
    },
    ContractCase(.connecting, "Connect returns at once where there is a connection") { stage throws in
      try await stage.goOnAir()
      try await stage.connect()
      stage.check(await stage.refusal(stage.phone, device, connect), nil)
    },
    ContractCase(.connecting, "Disconnect where there is no connection does nothing") { stage throws in
      try await stage.goOnAir()
      try await stage.find()
      stage.check(await stage.refusal(stage.phone, device, "Disconnect"), nil)
    },
    ContractCase(.connecting, "Attributes stay after a disconnection, and their calls fail") { stage throws in
      let (_, path) = try await stage.meet(flags: ["read", "notify"])
      try await stage.ask(stage.phone, device, "Disconnect")
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
      stage.check(await result(stage, read(path)), "org.bluez.Error.Failed: Not connected", "ReadValue")
      stage.check(await result(stage, write(path, [1])), "org.bluez.Error.Failed: Not connected", "WriteValue")
    },
    ContractCase(.connecting, "A device that connects again has the same attributes") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      try await stage.ask(stage.phone, device, "Disconnect")
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
      stage.check(await stage.refusal(stage.phone, device, connect), nil)
      try await stage.reach("ServicesResolved", of: stage.phone, device, toBe: .boolean(true))
      async let result = result(stage, read(path))
      try await program.next("ReadValue", answer: .success([.bytes([1])]))
      stage.check(await result, value([1]))
    },
    ContractCase(.connecting, "A read during a disconnection fails") { stage throws in
      let (program, path) = try await stage.meet(flags: ["read"])
      async let result = result(stage, read(path))
      _ = try await program.next("ReadValue")
      try await stage.ask(stage.phone, device, "Disconnect")
      stage.check(await result, "org.bluez.Error.Failed: Operation failed with ATT error: 0x0e")
    },
    ContractCase(
      .connecting, "A client's subscription is restored at the next connection", releases: since66
    ) { stage throws in
      let (program, path) = try await stage.meet(flags: ["notify"])
      stage.check(await Self.result(stage, start(path)), "[]")
      _ = try await program.next("StartNotify")
      try await stage.ask(stage.phone, device, "Disconnect")
      _ = try await program.next("StopNotify")
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
      stage.check(try await stage.get(path, BlueZName.gattCharacteristic, "Notifying"), .boolean(true))
      stage.check(await stage.refusal(stage.phone, device, connect), nil)
      _ = try await program.next("StartNotify")
      try await program.notify([1])
      try await stage.wait(for: "Value", of: path, toBe: .bytes([1]))
    },
    ContractCase(.connecting, "A connected device has the name that is read from it") { stage throws in
      try await stage.goOnAir(Program.lively + [("LocalName", .string("short"))])
      try await stage.find()
      try await stage.ask(stage.phone, device, connect)
      let alias = try await stage.get(Stage.appAdapter, BlueZName.adapter, "Alias")
      try await stage.reach("Name", of: stage.phone, device, toBe: try stage.require(alias, "alias"))
    },
    ContractCase(.connecting, "A connected device lists its services") { stage throws in
      _ = try await stage.meet(flags: ["read"])
      let uuids = try await stage.get(stage.phone, device, "UUIDs")?.stringArray ?? []
      for uuid in ["1800", "1801", "180a", "180d"] {
        stage.check(uuids.contains("0000\(uuid)-0000-1000-8000-00805f9b34fb"), true, uuid)
      }
    },
    ContractCase(.connecting, "Connect to an absent device fails, and only one Connect at a time is accepted") {
      stage throws in
      let advertisement = try await stage.goOnAir()
      try await stage.find()
      stage.check(await advertisement.withdraw(), nil)
      try await stage.reach("ActiveInstances", of: Stage.appAdapter, BlueZName.advertisingManager, toBe: .byte(0))
      let results = Mailbox<Result<[DBusValue], DBusFailure>>()
      let call = Stage.call(stage.phone, device, connect)
      _ = await stage.client.start(call, timeout: .seconds(60)) { results.put($0) }
      stage.check(await stage.refusal(stage.phone, device, connect), underWay(stage))
      await stage.radio.pass(.seconds(40))
      stage.check(
        try await results.next(),
        .failure(
          .remote(
            .bluez(
              "Failed", stage.minor < 62 ? "Software caused connection abort" : "le-connection-abort-by-local"))))
    },
    ContractCase(.connecting, "Disconnect cancels a Connect") { stage throws in
      let advertisement = try await stage.goOnAir()
      try await stage.find()
      stage.check(await advertisement.withdraw(), nil)
      let results = Mailbox<Result<[DBusValue], DBusFailure>>()
      _ = await stage.client.start(Stage.call(stage.phone, device, connect)) { results.put($0) }
      stage.check(await stage.refusal(stage.phone, device, connect), underWay(stage))
      stage.check(await stage.refusal(stage.phone, device, "Disconnect"), nil)
      stage.check(
        try await results.next(),
        .failure(.remote(.bluez("Failed", stage.minor < 62 ? "Cancelled" : "br-connection-canceled"))))
    },
    ContractCase(.connecting, "A device that is blocked is disconnected") { stage throws in
      try await stage.goOnAir()
      try await stage.connect()
      try await stage.set(stage.phone, device, "Blocked", .boolean(true))
      try await stage.reach("Connected", of: stage.phone, device, toBe: .boolean(false))
      stage.check(try await stage.get(stage.phone, device, "Blocked"), .boolean(true))
    },
  ]
}
