import BleperaDBus

/// A service with a characteristic below an object manager at `/app`, the characteristic added first.
enum SampleTree {
  static let service = InterfaceDescription(
    "org.bluez.GattService1",
    properties: [
      PropertyDescription("UUID", .string, emitsChanged: .constant),
      PropertyDescription("Primary", .boolean),
      PropertyDescription("Handle", .uint16, .readWrite, emitsChanged: .nothing),
    ])

  static let characteristic = InterfaceDescription(
    "org.bluez.GattCharacteristic1",
    methods: [
      MethodDescription("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"]),
      MethodDescription("Confirm", noReply: true),
    ],
    properties: [
      PropertyDescription("Value", "ay"),
      PropertyDescription("Notifying", .boolean, emitsChanged: .invalidates),
      PropertyDescription("Handle", .uint16, .readWrite, emitsChanged: .nothing),
      PropertyDescription("Secret", .string, .write),
      PropertyDescription("Any", .variant, .readWrite),
    ],
    signals: [SignalDescription("Changed", ["a < \"b\" & c": "(yv)"])])

  static let app: ObjectPath = "/app"
  static let servicePath: ObjectPath = "/app/service0"
  static let characteristicPath: ObjectPath = "/app/service0/char0"

  static var tree: ObjectTree {
    var tree = ObjectTree()
    do {
      try tree.add(app, interface: .objectManager)
      try tree.add(
        characteristicPath, interface: characteristic,
        properties: [("Notifying", .boolean(false)), ("Value", .bytes([1])), ("Handle", .uint16(0))])
      try tree.add(
        servicePath, interface: service, properties: [("UUID", .string("180D")), ("Primary", .boolean(true))])
    } catch {
      preconditionFailure("\(error)")
    }
    return tree
  }

  static func changed(_ change: (inout ObjectTree) throws(ObjectTreeFault) -> Void) -> ObjectTree {
    var tree = tree
    do { try change(&tree) } catch { preconditionFailure("\(error)") }
    return tree
  }
}
