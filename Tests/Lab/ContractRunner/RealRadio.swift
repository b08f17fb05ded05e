import BleperaAir
import BleperaBlueZProtocol
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import BlueZContract
import BusTesting
import Glibc

/// The bluetoothd of this machine, run by somebody who starts it again when it ends, and who plugs adapters in and
/// pulls them out when a line on our output asks for it.
actor RealRadio: Radio {
  nonisolated let isReal = true
  nonisolated let behavior: DaemonBehavior
  let bus: BusAddress
  let loop: EventLoop
  /// A program that removes devices between cases.
  private var tidier: DBusConnection

  init(bus: BusAddress, loop: EventLoop) async throws {
    self.bus = bus
    self.loop = loop
    tidier = try await DBusConnection.open(bus, on: loop)
    let modalias = try await tidier.call(
      MethodCall(
        destination: BlueZName.bus, path: Stage.appAdapter, interface: .properties, member: "Get",
        arguments: [.string(BlueZName.adapter.rawValue), .string("Modalias")]))
    guard let version = modalias.first?.unwrapped.text.flatMap({ DaemonVersion(modalias: $0) }) else {
      throw ContractFailure("the adapter's Modalias does not name the release of bluetoothd")
    }
    behavior = DaemonBehavior(minor: version.minor, isExperimental: true)
  }

  /// Nothing: real time is waited for.
  func pass(_ time: Duration) async {}

  /// Nothing: discovery takes some 150 ms.
  func slowDown() async {}

  func restart(isCrash: Bool) async throws {
    let owner = try await tidier.call(
      MethodCall(
        destination: .bus, path: .bus, interface: .bus, member: "GetConnectionUnixProcessID",
        arguments: [.string(BlueZName.bus.rawValue)]))
    guard let pid = owner.first?.unsigned else { throw ContractFailure("bluetoothd has no pid") }
    let adapters = Mailbox<ObjectPath>()
    let token = try await tidier.subscribe(
      to: MatchRule(sender: BlueZName.bus, interface: .objectManager, member: "InterfacesAdded")
    ) { signal, _ in
      if let path = signal.arguments.first?.path { adapters.put(path) }
    }
    kill(pid_t(pid), isCrash ? SIGKILL : SIGTERM)
    var missing: Set<ObjectPath> = [Stage.appAdapter, Stage.clientAdapter]
    while !missing.isEmpty { missing.remove(try await adapters.next()) }
    await tidier.unsubscribe(token)
    try await tidyUp()
  }

  func plug(_ adapter: Int, isIn: Bool) async throws { Output.line("@ \(isIn ? "plug" : "unplug") \(adapter)") }

  // MARK: A clean state

  private func ask(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = []
  ) async throws -> [DBusValue] {
    try await tidier.call(
      MethodCall(
        destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments))
  }

  private func set(_ adapter: ObjectPath, _ property: String, _ value: DBusValue) async throws {
    _ = try await ask(
      adapter, .properties, "Set",
      [.string(BlueZName.adapter.rawValue), .string(property), .variant(value)])
  }

  private func objects() async throws -> [ObjectPath: [String: [String: DBusValue]]] {
    Stage.objects(in: try await ask(.root, .objectManager, "GetManagedObjects"))
  }

  /// Two adapters that are on, know nobody and do nothing; the programs of the case before have left the bus.
  func tidyUp() async throws {
    let adapters = [Stage.appAdapter, Stage.clientAdapter]
    for turn in 0..<200 {
      // bluetoothd may just have crashed, which the case before has reported.
      guard let objects = try? await objects() else {
        try await Task.sleep(for: .milliseconds(200))
        continue
      }
      var isClean = true
      for adapter in adapters {
        guard let properties = objects[adapter]?[BlueZName.adapter.rawValue] else {
          isClean = false
          continue
        }
        let begin: [(String, DBusValue)] = [
          ("Powered", .boolean(true)), ("Discoverable", .boolean(false)), ("DiscoverableTimeout", .uint32(180)),
          ("Pairable", .boolean(true)), ("Alias", properties["Name"] ?? .string("")),
        ]
        for (name, value) in begin where properties[name] != value {
          isClean = false
          try? await set(adapter, name, name == "Alias" ? .string("") : value)
        }
        if properties["Discovering"] != .boolean(false) { isClean = false }
        let manager = objects[adapter]?[BlueZName.advertisingManager.rawValue]
        if manager?["ActiveInstances"] != .byte(0) { isClean = false }
      }
      let devices = objects.filter { $0.value[BlueZName.device.rawValue] != nil }
      // bluetoothd itself takes 2 s to end a connection, and does not report a disconnection of a blocked device.
      if !devices.isEmpty { Output.line("@ cut") }
      for path in devices.keys.sorted() {
        isClean = false
        guard let adapter = path.parent else { continue }
        // A device that bluetoothd is already removing counts as removed.
        _ = try? await ask(adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(path)])
      }
      if isClean { return try forgetNames() }
      try await Task.sleep(for: .milliseconds(turn < 20 ? 50 : 200))
    }
    throw ContractFailure("bluetoothd does not come to rest")
  }

  /// bluetoothd stores the names that it has received in files, and uses them for the same device again.
  private func forgetNames() throws {
    let root = "/var/lib/bluetooth"
    guard let adapters = FolderNames.read(root) else { throw ContractFailure("\(root) cannot be read") }
    for adapter in adapters where adapter.contains(":") {
      let cache = "\(root)/\(adapter)/cache"
      for name in FolderNames.list(cache) { unsafe unlink("\(cache)/\(name)") }
    }
  }

  /// Plays a case between two clean states; what was not as it should be.
  func play(_ one: ContractCase, limit: Duration) async throws -> [ContractFailure] {
    try await tidyUp()
    let app = try await DBusConnection.open(bus, on: loop)
    let client = try await DBusConnection.open(bus, on: loop)
    let stage = try await Stage(radio: self, app: app, client: client)
    let playing = Task { await one.play(on: stage) }
    let timer = Task {
      try await Task.sleep(for: limit)
      stage.note(ContractFailure("it took more than \(limit)"))
      playing.cancel()
    }
    let failures = await playing.value
    timer.cancel()
    await app.close()
    await client.close()
    return failures
  }
}
