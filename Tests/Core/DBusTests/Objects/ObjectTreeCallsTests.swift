import BleperaDBus
import Testing

@Suite("Calls that the object tree answers")
struct ObjectTreeCallsTests {
  private static let char = "/app/service0/char0"
  private static let gatt = "org.bluez.GattCharacteristic1"
  private static let freedesktop = "org.freedesktop.DBus."

  private static let all = "reply {'Value': <[byte 0x01]>, 'Notifying': <false>, 'Handle': <uint16 0>}"

  /// path, interface, member, arguments, what it is answered with
  private static let table: [(String, String?, MemberName, [DBusValue], String)] = [
    (char, "Properties", "Get", strings(gatt, "Value"), "reply <[byte 0x01]>"),
    (char, "Properties", "Get", strings("", "Value"), "reply <[byte 0x01]>"),
    (char, nil, "Get", strings(gatt, "Handle"), "reply <uint16 0>"),
    (char, "Properties", "Get", strings(gatt, "Nope"), "UnknownProperty"),
    (char, "Properties", "Get", strings(gatt, "no such"), "UnknownProperty"),
    (char, "Properties", "Get", strings(gatt, "Any"), "UnknownProperty"),
    (char, "Properties", "Get", strings(gatt, "Secret"), "InvalidArgs"),
    (char, "Properties", "Get", strings("a.b", "Value"), "UnknownInterface"),
    (char, "Properties", "Get", strings("not a name", "Value"), "UnknownInterface"),
    (char, "Properties", "Get", strings(gatt), "InvalidArgs"),
    (char, "Properties", "Get", [.string(gatt), .byte(1)], "InvalidArgs"),
    ("/nope", "Properties", "Get", strings(gatt, "Value"), "UnknownObject"),
    ("/", "Properties", "Get", strings(gatt, "Value"), "UnknownInterface"),
    (char, "Properties", "GetAll", strings(gatt), all),
    (char, "Properties", "GetAll", strings(""), all),
    (char, "Properties", "GetAll", strings("org.freedesktop.DBus.Peer"), "reply @a{sv} {}"),
    ("/app", "Properties", "GetAll", strings("org.freedesktop.DBus.ObjectManager"), "reply @a{sv} {}"),
    (char, "Properties", "GetAll", strings("org.freedesktop.DBus.ObjectManager"), "UnknownInterface"),
    (char, "Properties", "GetAll", strings("a.b"), "UnknownInterface"),
    (char, "Properties", "Set", set("Handle", .uint16(5)), "set Handle uint16 5"),
    (char, "Properties", "Set", [.string(""), .string("Handle"), .variant(.uint16(5))], "set Handle uint16 5"),
    (char, "Properties", "Set", set("Secret", .string("x")), "set Secret 'x'"),
    (char, "Properties", "Set", set("Handle", .uint32(5)), "InvalidArgs"),
    (char, "Properties", "Set", set("Handle", .variant(.uint16(5))), "InvalidArgs"),
    (char, "Properties", "Set", set("Value", .bytes([])), "PropertyReadOnly"),
    (char, "Properties", "Set", set("TxPower", .int16(5)), "UnknownProperty"),
    (char, "Properties", "Set", [.string(gatt), .string("Handle"), .uint16(5)], "InvalidArgs"),
    (char, "Properties", "Nope", [], "UnknownMethod"),
    (char, "Peer", "Ping", [], "reply"), ("/nope", "Peer", "Ping", [], "reply"), ("/", "Peer", "Ping", [], "reply"),
    (char, "Peer", "Ping", [.byte(1)], "InvalidArgs"), (char, "Peer", "GetMachineId", [], "UnknownMethod"),
    ("/nope", nil, "Ping", [], "UnknownObject"),
    ("/app", "ObjectManager", "GetManagedObjects", [], "reply {objectpath '/app/service0/char0'"),
    (char, "ObjectManager", "GetManagedObjects", [], "UnknownInterface"),
    ("/", "ObjectManager", "GetManagedObjects", [], "UnknownInterface"),
    ("/", "Introspectable", "Introspect", [], "reply '<!DOCTYPE node"),
    (char, nil, "Introspect", [], "reply '<!DOCTYPE node"),
    ("/nope", "Introspectable", "Introspect", [], "UnknownObject"),
    (char, "org.bluez.GattCharacteristic1", "ReadValue", [.properties([])], "owner"),
    (char, nil, "ReadValue", [.properties([])], "owner"),
    (char, "org.bluez.GattCharacteristic1", "ReadValue", [], "InvalidArgs"),
    (char, "org.bluez.GattCharacteristic1", "ReadValue", [.strings([])], "InvalidArgs"),
    (char, "org.bluez.GattCharacteristic1", "Nope", [], "UnknownMethod"), (char, nil, "Nope", [], "UnknownMethod"),
    (char, "org.bluez.GattService1", "ReadValue", [.properties([])], "UnknownInterface"),
    ("/nope", "org.bluez.GattService1", "ReadValue", [.properties([])], "UnknownObject"),
  ]

  @Test("Each call is answered, refused by the specification's name or left to its owner", arguments: table)
  func respond(path: String, interface: String?, member: MemberName, arguments: [DBusValue], expected: String) throws {
    let interface = interface.map { $0.contains(".") ? $0 : Self.freedesktop + $0 }
    let call = MethodCall(
      destination: nil, path: try #require(ObjectPath(path)), interface: interface.flatMap { InterfaceName($0) },
      member: member, arguments: arguments)
    let outcome = Self.text(SampleTree.tree.respond(to: call))
    #expect(expected.hasPrefix("reply ") ? outcome.hasPrefix(expected) : outcome == expected)
  }

  @Test("Errors say what is missing where")
  func sentences() {
    func refusal(_ call: MethodCall) -> String? {
      guard case .refuse(let error)? = SampleTree.tree.respond(to: call) else { return nil }
      return error.message
    }
    let path: ObjectPath = "/app/service0"
    var call = MethodCall(destination: nil, path: "/x", interface: "org.bluez.GattService1", member: "A")
    #expect(refusal(call) == "There is no object at /x.")
    call.path = path
    #expect(refusal(call) == "The interface org.bluez.GattService1 of /app/service0 has no method A.")
    call.interface = "a.b"
    #expect(refusal(call) == "The object /app/service0 has no interface 'a.b'.")
    call.interface = .properties
    call.member = "Set"
    call.arguments = [.byte(1)]
    #expect(refusal(call) == "The method Set takes arguments of types 'ssv', not 'y'.")
    call.arguments = [.string("org.bluez.GattService1"), .string("UUID"), .variant(.byte(1))]
    #expect(refusal(call) == "The property UUID of /app/service0 cannot be written.")
  }

  @Test("A method is found without its interface")
  func resolution() throws {
    let call = MethodCall(destination: nil, path: SampleTree.characteristicPath, interface: nil, member: "Confirm")
    let found = try SampleTree.tree.method(for: call)
    #expect(found.interface == "org.bluez.GattCharacteristic1")
    #expect(found.method.isNoReply)
  }

  @Test("A change that was accepted is what the next Get gives")
  func accept() throws {
    var tree = SampleTree.tree
    let (path, interface) = (SampleTree.characteristicPath, SampleTree.characteristic.name)
    let change = try tree.set(path, interface, "Handle", to: .uint16(0x105))
    try tree.update(change.path, change.interface, change.property, to: change.value)
    #expect(try tree.get(path, interface, "Handle") == .uint16(0x105))
  }

  @Test("A property of type variant keeps its own variant")
  func variants() throws {
    var tree = SampleTree.tree
    let (path, interface) = (SampleTree.characteristicPath, SampleTree.characteristic.name)
    try tree.update(path, interface, "Any", to: .variant(.byte(1)))
    let call = MethodCall(
      destination: nil, path: path, interface: .properties, member: "Get", arguments: Self.strings(Self.gatt, "Any"))
    #expect(tree.respond(to: call) == .reply([.variant(.variant(.byte(1)))]))
  }

  private static func strings(_ texts: String...) -> [DBusValue] { texts.map { .string($0) } }

  private static func set(_ property: String, _ value: DBusValue) -> [DBusValue] {
    strings(gatt, property) + [.variant(value)]
  }

  private static func text(_ response: TreeResponse?) -> String {
    switch response {
    case .reply(let values)?: (["reply"] + values.map(\.description)).joined(separator: " ")
    case .refuse(let error)?: String(error.name.rawValue.dropFirst("org.freedesktop.DBus.Error.".count))
    case .set(let change)?: "set \(change.property) \(change.value)"
    case nil: "owner"
    }
  }
}
