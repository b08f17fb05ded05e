import BusTesting
import DBus
import EventLoop
import Testing

@testable import VirtualBlueZ

/// A virtual radio on a private bus, and two programs on it: one at each adapter, as a rule.
struct Scene: Sendable {
  static let phoneAdapter: ObjectPath = "/org/bluez/hci0"
  static let centralAdapter: ObjectPath = "/org/bluez/hci1"
  /// The phone as the central's adapter knows it, and the other way about.
  static let phone: ObjectPath = "/org/bluez/hci1/dev_00_AA_01_00_00_00"
  static let central: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_00_00_01"

  let bus: PrivateBus
  let server: BlueZServer
  let app: DBusConnection
  let client: DBusConnection
  /// What org.bluez has signalled to the client and is not taken.
  let signals: Mailbox<Signal>

  static func run(
    _ behavior: DaemonBehavior = DaemonBehavior(minor: 82), adapters: Int = 3, isManual: Bool = false,
    _ body: (Scene) async throws -> Void
  ) async throws {
    let bus = try PrivateBus()
    var options = BlueZServer.Options.adapters(adapters)
    options.behavior = behavior
    options.isManual = isManual
    options.conditions.latency = .milliseconds(1)
    let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: options)
    let app = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let client = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let signals = Mailbox<Signal>()
    _ = try await client.subscribe(to: MatchRule(sender: BluezNames.bus)) { signal, _ in signals.put(signal) }
    let result: Result<Void, any Error>
    do {
      try await body(Scene(bus: bus, server: server, app: app, client: client, signals: signals))
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await app.close()
    await client.close()
    await server.close()
    try result.get()
  }

  static func call(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = []
  ) -> MethodCall {
    MethodCall(
      destination: BluezNames.bus, path: path, interface: interface, member: member, arguments: arguments)
  }

  /// A call of the client, as it is answered.
  @discardableResult
  func ask(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = []
  ) async throws -> [DBusValue] {
    try await client.call(Self.call(path, interface, member, arguments))
  }

  /// The error that a call is answered with.
  func refusal(
    of connection: DBusConnection? = nil, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
    _ arguments: [DBusValue] = []
  ) async -> String? {
    do {
      _ = try await (connection ?? client).call(Self.call(path, interface, member, arguments))
      return nil
    } catch .remote(let error) {
      return "\(error)"
    } catch {
      return "\(error)"
    }
  }

  func get(_ path: ObjectPath, _ interface: InterfaceName, _ property: String) async throws -> DBusValue? {
    try await ask(
      path, .properties, "Get", [.string(interface.rawValue), .string(property)]
    ).first?.unwrapped
  }

  /// Waits for a signal that `match` makes something of.
  func wait<Value>(for match: (Signal) -> Value?) async throws -> Value {
    while true {
      if let value = match(try await signals.next()) { return value }
    }
  }

  func wait(for property: String, of path: ObjectPath, toBe value: DBusValue) async throws {
    try await wait { signal -> Void? in
      switch signal.member {
      case "PropertiesChanged":
        guard signal.path == path else { return nil }
        return signal.arguments[1].asProperties?[property] == value ? () : nil
      case "InterfacesAdded":
        guard signal.arguments[0].path == path, case .dictionary(let interfaces) = signal.arguments[1] else {
          return nil
        }
        return interfaces.entries.contains { $0.value.asProperties?[property] == value } ? () : nil
      default: return nil
      }
    }
  }

  /// Finds the phone from the second adapter, connects to it and waits for its services.
  func connect() async throws {
    try await ask(Self.centralAdapter, BluezNames.adapter, "StartDiscovery")
    try await wait { signal in
      signal.member == "InterfacesAdded" && signal.arguments[0].path == Self.phone ? () : nil
    }
    try await ask(Self.phone, BluezNames.device, "Connect")
    try await wait(for: "ServicesResolved", of: Self.phone, toBe: .boolean(true))
  }

  /// The object of the connected phone with that UUID.
  func object(_ interface: InterfaceName, _ uuid: String) async throws -> ObjectPath {
    let answer = try await ask(.root, .objectManager, "GetManagedObjects")
    guard case .dictionary(let objects)? = answer.first else { throw PrivateBus.Failure(cause: "no objects") }
    for entry in objects.entries {
      guard let path = entry.key.path, Self.phone.isAncestor(of: path), case .dictionary(let interfaces) = entry.value,
        interfaces[interface.rawValue]?.asProperties?["UUID"]?.text == uuid
      else { continue }
      return path
    }
    throw PrivateBus.Failure(cause: "no \(interface) \(uuid)")
  }
}
