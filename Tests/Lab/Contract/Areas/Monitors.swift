import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

extension ContractCase {
  private static let adapter = Stage.clientAdapter
  private static let root: ObjectPath = "/monitors"
  private static let path: ObjectPath = "/monitors/one"
  /// Flags: LE General Discoverable, BR/EDR Not Supported.
  private static let phones: [(UInt8, UInt8, [UInt8])] = [(0, 0x01, [0x06])]

  private static func properties(
    _ patterns: [(UInt8, UInt8, [UInt8])], type: String = "or_patterns"
  ) throws -> Program.Properties {
    let patterns = patterns.map { DBusValue.structure([.byte($0.0), .byte($0.1), .bytes($0.2)]) }
    return [
      ("Type", .string(type)),
      ("Patterns", try .array(of: .structure([.byte, .byte, .array(.byte)]), patterns)),
    ]
  }

  private static func call(_ stage: Stage, _ member: MemberName, _ path: ObjectPath = root) async -> String? {
    await stage.refusal(adapter, BlueZName.monitorManager, member, [.objectPath(path)])
  }

  /// A monitor of the client, registered.
  private static func register(
    _ stage: Stage, _ patterns: [(UInt8, UInt8, [UInt8])] = phones, _ thresholds: Program.Properties = []
  ) async throws -> Program {
    let program = Program(connection: stage.client, root: root)
    await program.export([(path, BlueZName.monitor, try properties(patterns) + thresholds)])
    stage.check(await call(stage, "RegisterMonitor"), nil, "RegisterMonitor")
    return program
  }

  static let monitors: [ContractCase] = [
    ContractCase(
      .monitors, "A monitor is activated, and each advertisement that matches is reported, without the scan response",
      releases: since66
    ) { stage throws in
      try await stage.goOnAir(Program.lively + [("LocalName", .string("phone")), ("ServiceUUIDs", .strings(["180d"]))])
      let program = try await register(stage)
      try await program.next("Activate")
      for _ in 1...3 {
        stage.check(try await program.next("DeviceFound").call.arguments, [.objectPath(stage.phone)])
      }
      let properties = try await stage.properties(stage.phone, BlueZName.device)
      stage.check(properties["UUIDs"], .strings([Program.heartRate]))
      stage.check(properties["Name"], nil)
      stage.check(properties["RSSI"], .int16(-50))
      stage.check(try await stage.get(adapter, BlueZName.adapter, "Discovering"), .boolean(false))
    },
    ContractCase(.monitors, "A monitor that is exported after its registration is activated", releases: since66) {
      stage throws in
      try await stage.goOnAir()
      let program = Program(connection: stage.client, root: root)
      await program.export([])
      stage.check(await call(stage, "RegisterMonitor"), nil)
      try await stage.client.emit(
        Signal(
          path: root, interface: .objectManager, member: "InterfacesAdded",
          arguments: [
            .objectPath(path),
            try .dictionary(
              key: .string, value: .properties,
              [(.string(BlueZName.monitor.rawValue), .properties(try properties(phones)))]),
          ]))
      try await program.next("Activate")
      try await program.next("DeviceFound")
    },
    ContractCase(.monitors, "Monitors of another type and without a pattern are released", releases: since66) {
      stage throws in
      let program = Program(connection: stage.client, root: root)
      await program.export([
        (path, BlueZName.monitor, try properties(phones, type: "all")),
        ("/monitors/two", BlueZName.monitor, try properties([])),
      ])
      stage.check(await call(stage, "RegisterMonitor"), nil)
      var released = [path, "/monitors/two"]
      for _ in 1...2 {
        let path = try await program.next("Release").call.path
        released.removeAll { $0 == path }
      }
      stage.check(released, [])
    },
    ContractCase(.monitors, "What no pattern matches has no object", releases: since66) { stage throws in
      // The emulated controller of the lane sends scan responses to passive scanners, and bluetoothd has an object for
      // an empty one.
      try await stage.goOnAir(Program.lively + [("LocalName", .string("phone"))])
      try await register(stage, [(0, 0x01, [0x1A])]).next("Activate")
      try await stage.beQuiet()
      stage.check(try await stage.objects()[stage.phone] == nil, true)
    },
    ContractCase(
      .monitors, "Monitors of a path are registered once, and released when they are unregistered", releases: since66
    ) { stage throws in
      let program = try await register(stage)
      try await program.next("Activate")
      stage.check(await call(stage, "RegisterMonitor"), "org.bluez.Error.AlreadyExists: Already Exists")
      stage.check(
        await call(stage, "UnregisterMonitor", "/other"), "org.bluez.Error.DoesNotExist: Does Not Exist")
      stage.check(await call(stage, "UnregisterMonitor"), nil)
      try await program.next("Release")
      try await stage.goOnAir()
      try await stage.beQuiet()
      stage.check(try await stage.objects()[stage.phone] == nil, true)
      stage.check(await call(stage, "UnregisterMonitor"), "org.bluez.Error.DoesNotExist: Does Not Exist")
    },
    ContractCase(.monitors, "With thresholds a device is found once, and lost with the power", releases: since66) {
      stage throws in
      try await stage.goOnAir()
      let program = try await register(
        stage, phones,
        [("RSSIHighThreshold", .int16(-60)), ("RSSILowThreshold", .int16(-80)), ("RSSIHighTimeout", .uint16(1))])
      stage.check(try await program.next("DeviceFound").call.arguments, [.objectPath(stage.phone)])
      try await stage.set(adapter, BlueZName.adapter, "Powered", .boolean(false))
      stage.check(try await program.next("DeviceLost").call.arguments, [.objectPath(stage.phone)])
      try await stage.set(adapter, BlueZName.adapter, "Powered", .boolean(true))
      try await program.next("DeviceFound")
    },
    ContractCase(.monitors, "The manager names the type of monitors that it knows", releases: since66) {
      stage throws in
      let properties = try await stage.properties(adapter, BlueZName.monitorManager)
      stage.check(properties["SupportedMonitorTypes"], .strings(["or_patterns"]))
      stage.check(properties["SupportedFeatures"], .strings([]))
    },
  ]
}
