/// An interface as data: calls are checked against it and introspection is computed from it.
package struct InterfaceDescription: Hashable, Sendable {
  package let name: InterfaceName
  package let methods: [MethodDescription]
  package let properties: [PropertyDescription]
  package let signals: [SignalDescription]

  package init(
    _ name: InterfaceName, methods: [MethodDescription] = [], properties: [PropertyDescription] = [],
    signals: [SignalDescription] = []
  ) {
    self.name = name
    self.methods = methods
    self.properties = properties
    self.signals = signals
  }

  package func method(_ name: MemberName) -> MethodDescription? { methods.first { $0.name == name } }
}

/// The arguments of a method, as in `MethodDescription("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"])`.
package struct MethodDescription: Hashable, Sendable {
  package let name: MemberName
  package let inputs: [ArgumentDescription]
  package let outputs: [ArgumentDescription]
  /// Whether the method is annotated `org.freedesktop.DBus.Method.NoReply`: callers should expect no reply.
  package let isNoReply: Bool

  package init(
    _ name: MemberName, in inputs: KeyValuePairs<String, DBusType> = [:],
    out outputs: KeyValuePairs<String, DBusType> = [:], noReply: Bool = false
  ) {
    self.name = name
    self.inputs = [ArgumentDescription](inputs)
    self.outputs = [ArgumentDescription](outputs)
    isNoReply = noReply
  }

  /// Whether the arguments match the method's signature.
  package func takes(_ arguments: [DBusValue]) -> Bool {
    arguments.count == inputs.count && zip(arguments, inputs).allSatisfy { $0.isOf($1.type) }
  }
}

/// An argument of a method or a signal; the name appears in the introspection data only.
package struct ArgumentDescription: Hashable, Sendable {
  package let name: String
  package let type: DBusType
}

extension [ArgumentDescription] {
  init(_ pairs: KeyValuePairs<String, DBusType>) {
    self = pairs.map { ArgumentDescription(name: $0.key, type: $0.value) }
  }

  var signature: String { map(\.type.signature).joined() }
}

/// A property that an object with the interface may have; the object tree decides which properties an object has.
package struct PropertyDescription: Hashable, Sendable {
  package enum Access: String, Sendable {
    case read, write
    case readWrite = "readwrite"

    package var isReadable: Bool { self != .write }
    package var isWritable: Bool { self != .read }
  }

  /// `org.freedesktop.DBus.Property.EmitsChangedSignal` (D-Bus specification, "Introspection Data Format").
  package enum EmitsChanged: String, Sendable {
    /// PropertiesChanged contains the value.
    case value = "true"
    /// PropertiesChanged contains the name only.
    case invalidates
    /// The property never changes.
    case constant = "const"
    /// The property changes without a signal.
    case nothing = "false"
  }

  package let name: MemberName
  package let type: DBusType
  package let access: Access
  package let emitsChanged: EmitsChanged

  package init(_ name: MemberName, _ type: DBusType, _ access: Access = .read, emitsChanged: EmitsChanged = .value) {
    self.name = name
    self.type = type
    self.access = access
    self.emitsChanged = emitsChanged
  }
}

/// A signal that an interface may emit.
package struct SignalDescription: Hashable, Sendable {
  package let name: MemberName
  package let arguments: [ArgumentDescription]

  package init(_ name: MemberName, _ arguments: KeyValuePairs<String, DBusType> = [:]) {
    self.name = name
    self.arguments = [ArgumentDescription](arguments)
  }
}

/// D-Bus specification, "Standard Interfaces".
extension InterfaceDescription {
  package static let properties = InterfaceDescription(
    .properties,
    methods: [
      MethodDescription("Get", in: ["interface_name": "s", "property_name": "s"], out: ["value": "v"]),
      MethodDescription("GetAll", in: ["interface_name": "s"], out: ["properties": "a{sv}"]),
      MethodDescription("Set", in: ["interface_name": "s", "property_name": "s", "value": "v"]),
    ],
    signals: [
      SignalDescription(
        "PropertiesChanged",
        ["interface_name": "s", "changed_properties": "a{sv}", "invalidated_properties": "as"])
    ])

  package static let introspectable = InterfaceDescription(
    .introspectable, methods: [MethodDescription("Introspect", out: ["xml_data": "s"])])

  /// The interface without GetMachineId, which nothing here needs.
  package static let peer = InterfaceDescription(.peer, methods: [MethodDescription("Ping")])

  /// Add this interface to the root of the objects that it manages.
  package static let objectManager = InterfaceDescription(
    .objectManager,
    methods: [
      MethodDescription("GetManagedObjects", out: ["objpath_interfaces_and_properties": "a{oa{sa{sv}}}"])
    ],
    signals: [
      SignalDescription("InterfacesAdded", ["object_path": "o", "interfaces_and_properties": "a{sa{sv}}"]),
      SignalDescription("InterfacesRemoved", ["object_path": "o", "interfaces": "as"]),
    ])

  /// The interfaces of every object; an object without interfaces of its own has the last two.
  static let implied: [InterfaceDescription] = [properties, introspectable, peer]
  static let impliedOfNodes: [InterfaceDescription] = [introspectable, peer]
}
