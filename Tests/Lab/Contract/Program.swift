import BleperaAir
import BleperaBlueZProtocol
package import BleperaDBus
import BleperaLoop
import BleperaVirtualBlueZ
package import BusTesting

/// A program that has services as objects, or advertisements, and says of every call what a case wants.
package struct Program: Sendable {
  package static let service: ObjectPath = "/app/service"
  package static let characteristic: ObjectPath = "/app/service/characteristic"
  package static let descriptor: ObjectPath = "/app/service/characteristic/descriptor"
  package static let heartRate = "0000180d-0000-1000-8000-00805f9b34fb"
  package static let measurement = "00002a37-0000-1000-8000-00805f9b34fb"
  package static let description = "00002901-0000-1000-8000-00805f9b34fb"

  package typealias Properties = [(String, DBusValue)]
  package typealias Object = (path: ObjectPath, interface: InterfaceName, properties: Properties)

  package let connection: DBusConnection
  package let root: ObjectPath
  /// Calls that nobody has answered.
  package let calls = Mailbox<IncomingCall>()

  package init(connection: DBusConnection, root: ObjectPath = "/app") {
    self.connection = connection
    self.root = root
  }

  /// A service with one characteristic.
  package static func objects(
    uuid: String = heartRate, flags: [String] = ["read"], service more: Properties = [],
    characteristic extra: Properties = [], descriptor descriptorFlags: [String]? = nil
  ) -> [Object] {
    var objects: [Object] = [
      (service, BlueZName.gattService, [("UUID", .string(uuid)), ("Primary", .boolean(true))] + more),
      (
        characteristic, BlueZName.gattCharacteristic,
        [
          ("UUID", .string(measurement)), ("Service", .objectPath(service)), ("Flags", .strings(flags)),
        ] + extra
      ),
    ]
    if let descriptorFlags {
      objects.append(
        (
          descriptor, BlueZName.gattDescriptor,
          [
            ("UUID", .string(description)), ("Characteristic", .objectPath(characteristic)),
            ("Flags", .strings(descriptorFlags)),
          ]
        ))
    }
    return objects
  }

  /// An advertisement that a central finds quickly: connectable, discoverable, and sent as often as possible.
  package static let lively: Properties = [
    ("Type", .string("peripheral")), ("Discoverable", .boolean(true)), ("MinInterval", .uint32(20)),
    ("MaxInterval", .uint32(20)),
  ]

  /// `a{oa{sa{sv}}}`.
  private static func managed(_ objects: [Object]) -> DBusValue {
    do throws(DBusTypeMismatch) {
      var entries: [(DBusValue, DBusValue)] = []
      for object in objects {
        entries.append(
          (
            .objectPath(object.path),
            try .dictionary(
              key: .string, value: .properties,
              [(.string(object.interface.rawValue), .properties(object.properties))])
          ))
      }
      return try .dictionary(key: .objectPath, value: .interfaces, entries)
    } catch {
      fatalError("\(error)")
    }
  }

  /// Answers GetManagedObjects with these, and GetAll with the properties of the first; other calls are kept.
  package func export(_ objects: [Object]) async {
    let managed = Self.managed(objects)
    let first = DBusValue.properties(objects.first?.properties ?? [])
    await connection.export(at: root) { [weak connection, calls] call in
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
  package func register(on adapter: ObjectPath = Stage.appAdapter) async -> String? {
    await refusal(adapter, BlueZName.gattManager, "RegisterApplication", [.objectPath(root), .properties([])])
  }

  package func unregister(on adapter: ObjectPath = Stage.appAdapter) async -> String? {
    await refusal(adapter, BlueZName.gattManager, "UnregisterApplication", [.objectPath(root)])
  }

  /// The error that the advertisement is refused with; nil where it is not.
  package func advertise(_ properties: Properties, on adapter: ObjectPath = Stage.appAdapter) async -> String? {
    await export([(root, BlueZName.advertisement, properties)])
    return await refusal(
      adapter, BlueZName.advertisingManager, "RegisterAdvertisement", [.objectPath(root), .properties([])])
  }

  package func withdraw(on adapter: ObjectPath = Stage.appAdapter) async -> String? {
    await refusal(adapter, BlueZName.advertisingManager, "UnregisterAdvertisement", [.objectPath(root)])
  }

  private func refusal(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue]
  ) async -> String? {
    await Stage.refusal(connection, Stage.call(path, interface, member, arguments))
  }

  package func answer(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) async {
    await connection.reply(to: call, result)
  }

  /// The next call of that method; earlier calls of others are skipped.
  @discardableResult
  package func next(_ member: MemberName) async throws -> IncomingCall {
    try await calls.wait { $0.call.member == member ? $0 : nil }
  }

  /// Answers the next call of that method, and gives it.
  @discardableResult
  package func next(
    _ member: MemberName, answer result: Result<[DBusValue], DBusErrorReply>
  ) async throws -> IncomingCall {
    let call = try await next(member)
    await answer(call, result)
    return call
  }

  /// Signals a value, as a notification.
  package func notify(_ value: [UInt8]) async throws {
    try await connection.emit(
      .propertiesChanged(Self.characteristic, BlueZName.gattCharacteristic, changed: [("Value", .bytes(value))]))
  }
}
