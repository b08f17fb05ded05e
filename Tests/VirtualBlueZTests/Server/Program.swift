import BusTesting
import DBus
import Testing
import VirtualBlueZ

/// A program that has services as objects, or advertisements, and says of every call what a test wants.
struct Program: Sendable {
  static let root: ObjectPath = "/app"
  static let service: ObjectPath = "/app/service"
  static let characteristic: ObjectPath = "/app/service/characteristic"
  static let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
  static let measurement = "00002a37-0000-1000-8000-00805f9b34fb"

  let connection: DBusConnection
  /// Calls that nobody has answered.
  let calls = Mailbox<IncomingCall>()

  typealias Properties = [(String, DBusValue)]
  typealias Object = (path: ObjectPath, interface: InterfaceName, properties: Properties)

  /// A service with one characteristic.
  static func objects(
    uuid: String = heartRate, flags: [String] = ["read"], service more: Properties = [],
    characteristic extra: Properties = []
  ) -> [Object] {
    [
      (service, BluezNames.service, [("UUID", .string(uuid)), ("Primary", .boolean(true))] + more),
      (
        characteristic, BluezNames.characteristic,
        [
          ("UUID", .string(measurement)), ("Service", .objectPath(service)), ("Flags", .strings(flags)),
        ] + extra
      ),
    ]
  }

  /// `a{oa{sa{sv}}}`.
  static func managed(_ objects: [Object]) throws -> DBusValue {
    try .dictionary(
      key: .objectPath, value: .interfaces,
      objects.map { object in
        (
          .objectPath(object.path),
          try .dictionary(
            key: .string, value: .properties,
            [(.string(object.interface.rawValue), .properties(object.properties))])
        )
      })
  }

  /// Answers GetManagedObjects with these, and GetAll with the properties of the first; other calls are kept.
  func export(_ objects: [Object]) async throws {
    let managed = try Self.managed(objects)
    let first = DBusValue.properties(objects.first?.properties ?? [])
    await connection.export(at: Self.root) { [weak connection, calls] call in
      connection?.assumeIsolated { connection in
        switch call.call.member {
        case "GetManagedObjects": connection.reply(to: call, .success([managed]))
        case "GetAll": connection.reply(to: call, .success([first]))
        case "Set":
          calls.put(call)
          connection.reply(to: call, .success([]))
        default: calls.put(call)
        }
      }
    }
  }

  /// The error that registering the application is refused with; nil where it is not.
  func register(on adapter: ObjectPath = Scene.phoneAdapter) async -> String? {
    await refusal(
      Scene.call(adapter, BluezNames.gattManager, "RegisterApplication", [.objectPath(Self.root), .properties([])]))
  }

  func advertise(_ properties: Properties, on adapter: ObjectPath = Scene.phoneAdapter) async throws -> String? {
    try await export([(Self.root, BluezNames.advertisement, properties)])
    return await refusal(
      Scene.call(
        adapter, BluezNames.advertisingManager, "RegisterAdvertisement", [.objectPath(Self.root), .properties([])]))
  }

  /// What a central need not wait for: connectable, and sent as often as a controller can.
  static let lively: Properties = [
    ("Type", .string("peripheral")), ("MinInterval", .uint32(20)), ("MaxInterval", .uint32(20)),
  ]

  private func refusal(_ call: MethodCall) async -> String? {
    do {
      _ = try await connection.call(call)
      return nil
    } catch .remote(let error) {
      return "\(error)"
    } catch {
      return "\(error)"
    }
  }

  func answer(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) async {
    await connection.reply(to: call, result)
  }

  /// The next call of that method; those before it are passed over.
  func next(_ member: MemberName) async throws -> IncomingCall {
    try await calls.wait { $0.call.member == member ? $0 : nil }
  }

  /// Tells of a value, as a notification.
  func notify(_ value: [UInt8]) async throws {
    try await connection.emit(
      .propertiesChanged(Self.characteristic, BluezNames.characteristic, changed: [("Value", .bytes(value))]))
  }
}
