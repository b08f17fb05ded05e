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

  /// Without GetMachineId, which nothing here needs.
  package static let peer = InterfaceDescription(.peer, methods: [MethodDescription("Ping")])

  /// To be added to the object that speaks for all below it.
  package static let objectManager = InterfaceDescription(
    .objectManager,
    methods: [
      MethodDescription("GetManagedObjects", out: ["objpath_interfaces_and_properties": "a{oa{sa{sv}}}"])
    ],
    signals: [
      SignalDescription("InterfacesAdded", ["object_path": "o", "interfaces_and_properties": "a{sa{sv}}"]),
      SignalDescription("InterfacesRemoved", ["object_path": "o", "interfaces": "as"]),
    ])

  /// What every object has without being told; an object that none was added to has the last two.
  static let implied: [InterfaceDescription] = [properties, introspectable, peer]
  static let impliedOfNodes: [InterfaceDescription] = [introspectable, peer]
}
