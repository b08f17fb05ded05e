import BleperaBlueZProtocol
import BleperaDBus

/// The interfaces that bluetoothd exports (BlueZ doc/).
extension InterfaceDescription {
  static let adapter = InterfaceDescription(
    BlueZName.adapter,
    methods: [
      MethodDescription("StartDiscovery"), MethodDescription("StopDiscovery"),
      MethodDescription("SetDiscoveryFilter", in: ["properties": "a{sv}"]),
      MethodDescription("GetDiscoveryFilters", out: ["filters": "as"]),
      MethodDescription("RemoveDevice", in: ["device": "o"]),
    ],
    properties: [
      PropertyDescription("Address", .string), PropertyDescription("AddressType", .string),
      PropertyDescription("Name", .string), PropertyDescription("Alias", .string, .readWrite),
      PropertyDescription("Class", .uint32), PropertyDescription("Powered", .boolean, .readWrite),
      PropertyDescription("Discoverable", .boolean, .readWrite),
      PropertyDescription("DiscoverableTimeout", .uint32, .readWrite),
      PropertyDescription("Pairable", .boolean, .readWrite),
      PropertyDescription("PairableTimeout", .uint32, .readWrite),
      PropertyDescription("Discovering", .boolean), PropertyDescription("UUIDs", .array(.string)),
      PropertyDescription("Modalias", .string), PropertyDescription("Roles", .array(.string)),
      PropertyDescription("PowerState", .string), PropertyDescription("Manufacturer", .uint16),
      PropertyDescription("Version", .byte), PropertyDescription("Connectable", .boolean, .readWrite),
    ])

  static let gattManager = InterfaceDescription(
    BlueZName.gattManager,
    methods: [
      MethodDescription("RegisterApplication", in: ["application": "o", "options": "a{sv}"]),
      MethodDescription("UnregisterApplication", in: ["application": "o"]),
    ])

  static let advertisingManager = InterfaceDescription(
    BlueZName.advertisingManager,
    methods: [
      MethodDescription("RegisterAdvertisement", in: ["advertisement": "o", "options": "a{sv}"]),
      MethodDescription("UnregisterAdvertisement", in: ["service": "o"]),
    ],
    properties: [
      PropertyDescription("ActiveInstances", .byte), PropertyDescription("SupportedInstances", .byte),
      PropertyDescription("SupportedIncludes", .array(.string)),
      PropertyDescription("SupportedSecondaryChannels", .array(.string)),
      PropertyDescription("SupportedFeatures", .array(.string)),
      PropertyDescription("SupportedCapabilities", .properties),
    ])

  static let monitorManager = InterfaceDescription(
    BlueZName.monitorManager,
    methods: [
      MethodDescription("RegisterMonitor", in: ["application": "o"]),
      MethodDescription("UnregisterMonitor", in: ["application": "o"]),
    ],
    properties: [
      PropertyDescription("SupportedMonitorTypes", .array(.string)),
      PropertyDescription("SupportedFeatures", .array(.string)),
    ])

  static let agentManager = InterfaceDescription(
    BlueZName.agentManager,
    methods: [
      MethodDescription("RegisterAgent", in: ["agent": "o", "capability": "s"]),
      MethodDescription("UnregisterAgent", in: ["agent": "o"]),
      MethodDescription("RequestDefaultAgent", in: ["agent": "o"]),
    ])

  static let device = InterfaceDescription(
    BlueZName.device,
    methods: [
      MethodDescription("Connect"), MethodDescription("Disconnect"), MethodDescription("Pair"),
      MethodDescription("CancelPairing"),
      MethodDescription("ConnectProfile", in: ["UUID": "s"]),
      MethodDescription("DisconnectProfile", in: ["UUID": "s"]),
    ],
    properties: [
      PropertyDescription("Address", .string), PropertyDescription("AddressType", .string),
      PropertyDescription("Name", .string), PropertyDescription("Alias", .string, .readWrite),
      PropertyDescription("Appearance", .uint16), PropertyDescription("Icon", .string),
      PropertyDescription("Modalias", .string),
      PropertyDescription("AdvertisingFlags", .array(.byte)), PropertyDescription("Paired", .boolean),
      PropertyDescription("Bonded", .boolean), PropertyDescription("Trusted", .boolean, .readWrite),
      PropertyDescription("Blocked", .boolean, .readWrite), PropertyDescription("LegacyPairing", .boolean),
      PropertyDescription("RSSI", .int16), PropertyDescription("Connected", .boolean),
      PropertyDescription("UUIDs", .array(.string)), PropertyDescription("Adapter", .objectPath),
      PropertyDescription("ManufacturerData", .dictionary(key: .uint16, value: .variant)),
      PropertyDescription("ServiceData", .properties), PropertyDescription("TxPower", .int16),
      PropertyDescription("ServicesResolved", .boolean), PropertyDescription("CablePairing", .boolean),
    ])

  static let remoteService = InterfaceDescription(
    BlueZName.gattService,
    properties: [
      PropertyDescription("UUID", .string), PropertyDescription("Device", .objectPath),
      PropertyDescription("Primary", .boolean), PropertyDescription("Includes", .array(.objectPath)),
      PropertyDescription("Handle", .uint16),
    ])

  static let remoteCharacteristic = InterfaceDescription(
    BlueZName.gattCharacteristic,
    methods: [
      MethodDescription("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"]),
      MethodDescription("WriteValue", in: ["value": "ay", "options": "a{sv}"]),
      MethodDescription("AcquireWrite", in: ["options": "a{sv}"], out: ["fd": "h", "mtu": "q"]),
      MethodDescription("AcquireNotify", in: ["options": "a{sv}"], out: ["fd": "h", "mtu": "q"]),
      MethodDescription("StartNotify"), MethodDescription("StopNotify"),
    ],
    properties: [
      PropertyDescription("UUID", .string), PropertyDescription("Service", .objectPath),
      PropertyDescription("Value", .array(.byte)), PropertyDescription("Notifying", .boolean),
      PropertyDescription("Flags", .array(.string)), PropertyDescription("WriteAcquired", .boolean),
      PropertyDescription("NotifyAcquired", .boolean), PropertyDescription("MTU", .uint16),
      PropertyDescription("Handle", .uint16),
    ])

  static let remoteDescriptor = InterfaceDescription(
    BlueZName.gattDescriptor,
    methods: [
      MethodDescription("ReadValue", in: ["options": "a{sv}"], out: ["value": "ay"]),
      MethodDescription("WriteValue", in: ["value": "ay", "options": "a{sv}"]),
    ],
    properties: [
      PropertyDescription("UUID", .string), PropertyDescription("Characteristic", .objectPath),
      PropertyDescription("Value", .array(.byte)), PropertyDescription("Handle", .uint16),
    ])
}
