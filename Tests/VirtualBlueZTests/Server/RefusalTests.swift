import BusTesting
import DBus
import Testing
import VirtualBlueZ

@Suite("What the virtual bluetoothd refuses", .timeLimit(.minutes(1)))
struct RefusalTests {
  private static let manager = BluezNames.gattManager
  private static let advertising = BluezNames.advertisingManager

  @Test("Calls are refused by bluetoothd's names and messages")
  func table() async throws {
    try await Scene.run { scene async throws in
      let none: ObjectPath = "/none"
      let options = DBusValue.properties([])
      let adapter = Scene.centralAdapter
      let table: [(ObjectPath, InterfaceName, MemberName, [DBusValue], String)] = [
        (adapter, BluezNames.adapter, "StopDiscovery", [], "org.bluez.Error.Failed: No discovery started"),
        (
          adapter, BluezNames.adapter, "RemoveDevice", [.objectPath(none)],
          "org.bluez.Error.DoesNotExist: Does Not Exist"
        ),
        (
          adapter, BluezNames.adapter, "SetDiscoveryFilter", [.properties([("What", .byte(1))])],
          "org.bluez.Error.InvalidArguments: Invalid arguments in method call"
        ),
        (
          adapter, Self.manager, "UnregisterApplication", [.objectPath(none)],
          "org.bluez.Error.DoesNotExist: Does Not Exist"
        ),
        (
          adapter, Self.manager, "RegisterApplication", [.objectPath(none), options],
          "org.bluez.Error.Failed: No object received"
        ),
        (
          adapter, Self.advertising, "UnregisterAdvertisement", [.objectPath(none)],
          "org.bluez.Error.DoesNotExist: Does Not Exist"
        ),
        (
          adapter, Self.advertising, "RegisterAdvertisement", [.objectPath(none), options],
          "org.bluez.Error.Failed: Failed to parse advertisement."
        ),
        (
          BluezNames.root, BluezNames.agentManager, "UnregisterAgent", [.objectPath(none)],
          "org.bluez.Error.DoesNotExist: Does Not Exist"
        ),
        (
          BluezNames.root, BluezNames.agentManager, "RegisterAgent", [.objectPath(none), .string("Mind")],
          "org.bluez.Error.InvalidArguments: Invalid arguments in method call"
        ),
      ]
      for (path, interface, member, arguments, expected) in table {
        #expect(await scene.refusal(path, interface, member, arguments) == expected, "\(member)")
      }
    }
  }

  @Test("Looking for devices twice is in progress, and without power not ready")
  func discovery() async throws {
    try await Scene.run { scene async throws in
      let adapter = Scene.centralAdapter
      try await scene.ask(adapter, BluezNames.adapter, "StartDiscovery")
      #expect(
        await scene.refusal(adapter, BluezNames.adapter, "StartDiscovery")
          == "org.bluez.Error.InProgress: Operation already in progress")
      #expect(try await scene.get(adapter, BluezNames.adapter, "Discovering") == .boolean(true))
      try await scene.ask(
        adapter, .properties, "Set",
        [.string(BluezNames.adapter.rawValue), .string("Powered"), .variant(.boolean(false))])
      #expect(try await scene.get(adapter, BluezNames.adapter, "Discovering") == .boolean(false))
      #expect(
        await scene.refusal(adapter, BluezNames.adapter, "StartDiscovery")
          == "org.bluez.Error.NotReady: Resource Not Ready")
    }
  }

  @Test("A client that leaves looks no more, and its advertisements are free again")
  func vanishing() async throws {
    try await Scene.run { scene async throws in
      let path: ObjectPath = "/advertisement"
      let app = scene.app
      await app.export(at: path) { [weak app] call in
        app?.assumeIsolated { $0.reply(to: call, .success([.properties([("Type", .string("peripheral"))])])) }
      }
      let register = Scene.call(
        Scene.phoneAdapter, Self.advertising, "RegisterAdvertisement", [.objectPath(path), .properties([])])
      _ = try await app.call(register)
      #expect(
        await scene.refusal(
          of: app, Scene.phoneAdapter, Self.advertising, "RegisterAdvertisement",
          [.objectPath(path), .properties([])]) == "org.bluez.Error.AlreadyExists: Already Exists")
      #expect(try await scene.get(Scene.phoneAdapter, Self.advertising, "ActiveInstances") == .byte(1))
      #expect(try await scene.get(Scene.phoneAdapter, Self.advertising, "SupportedInstances") == .byte(2))
      await app.close()
      try await scene.wait(for: "ActiveInstances", of: Scene.phoneAdapter, toBe: .byte(0))
    }
  }

  @Test("The release is in the Modalias, and decides whether there are capabilities", arguments: [66, 77])
  func release(minor: Int) async throws {
    try await Scene.run(DaemonBehavior(minor: minor)) { scene async throws in
      let code = String(minor, radix: 16, uppercase: true)
      #expect(
        try await scene.get(Scene.phoneAdapter, BluezNames.adapter, "Modalias")
          == .string("usb:v1D6Bp0246d05\(code)"))
      let all = try await scene.ask(
        Scene.phoneAdapter, .properties, "GetAll", [.string(Self.advertising.rawValue)]
      ).first?.asProperties
      #expect((all?["SupportedCapabilities"] != nil) == (minor >= 77))
    }
  }

  @Test("The name is taken once")
  func name() async throws {
    try await Scene.run { scene async throws in
      await #expect(throws: BlueZServer.Failure.nameTaken) {
        _ = try await BlueZServer.open(scene.bus.address, on: TestLoops.first, options: .adapters(1))
      }
    }
  }
}
