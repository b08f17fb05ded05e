import BleperaAir
import BleperaBlueZProtocol
package import BleperaDBus
import BleperaVirtualBlueZ

/// Calls to org.bluez.
extension Stage {
  package static func call(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = []
  ) -> MethodCall {
    MethodCall(destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments)
  }

  /// A call of the client, as it is answered.
  @discardableResult
  package func ask(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = []
  ) async throws -> [DBusValue] {
    try await client.call(Self.call(path, interface, member, arguments))
  }

  /// The error that a call is answered with, by name and message; nil for none.
  package func refusal(
    of connection: DBusConnection? = nil, _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName,
    _ arguments: [DBusValue] = []
  ) async -> String? {
    await Self.refusal(connection ?? client, Self.call(path, interface, member, arguments))
  }

  static func refusal(_ connection: DBusConnection, _ call: MethodCall) async -> String? {
    do {
      _ = try await connection.call(call)
      return nil
    } catch .remote(let error) {
      return "\(error)"
    } catch {
      return "\(error)"
    }
  }

  package func get(_ path: ObjectPath, _ interface: InterfaceName, _ property: String) async throws -> DBusValue? {
    try await ask(path, .properties, "Get", [.string(interface.rawValue), .string(property)]).first?.unwrapped
  }

  package func properties(_ path: ObjectPath, _ interface: InterfaceName) async throws -> [String: DBusValue] {
    try require(
      try await ask(path, .properties, "GetAll", [.string(interface.rawValue)]).first?.asProperties,
      "answer of GetAll")
  }

  package func set(
    _ path: ObjectPath, _ interface: InterfaceName, _ property: String, _ value: DBusValue
  ) async throws {
    try await ask(path, .properties, "Set", [.string(interface.rawValue), .string(property), .variant(value)])
  }

  /// All objects with their interfaces.
  package func objects() async throws -> [ObjectPath: [String: [String: DBusValue]]] {
    Self.objects(in: try await ask(.root, .objectManager, "GetManagedObjects"))
  }

  /// The objects in a reply to GetManagedObjects.
  package static func objects(in answer: [DBusValue]) -> [ObjectPath: [String: [String: DBusValue]]] {
    guard case .dictionary(let objects)? = answer.first else { return [:] }
    var all: [ObjectPath: [String: [String: DBusValue]]] = [:]
    for entry in objects.entries {
      guard let path = entry.key.path, case .dictionary(let interfaces) = entry.value else { continue }
      for interface in interfaces.entries {
        all[path, default: [:]][interface.key.text ?? ""] = interface.value.asProperties ?? [:]
      }
    }
    return all
  }

  /// The object of the connected phone with that interface and UUID.
  package func object(
    _ interface: InterfaceName, _ uuid: String, below root: ObjectPath? = nil
  ) async throws -> ObjectPath {
    let root = root ?? phone
    let found = try await objects().filter {
      root.isAncestor(of: $0.key) && $0.value[interface.rawValue]?["UUID"]?.text == uuid
    }
    return try require(found.keys.min(), "\(interface) \(uuid)")
  }
}
