import BleperaPropertyLists

/// The dictionaries of the central role.
extension SchemaSection {
  static let central = Self(
    "BLECentral",
    [
      .centralRestoreIdentifier, .scanServices, .solicitedServices, .allowDuplicates, .connect, .remoteCharacteristics,
    ])
  static let connect = Self(
    "BLECentral.Connect", [.remoteName, .remoteService, .connectAll, .reconnect, .connectOptions])
  static let connectOptions = Self(
    "BLECentral.Connect.Options",
    [.notifyOnConnection, .notifyOnDisconnection, .notifyOnNotification, .enableAutoReconnect, .startDelay])
  static let remoteCharacteristic = Self(
    "BLECentral.Characteristics[]",
    [
      .ownerService, .characteristicUUID, .read, .subscribe, .written, .writtenText, .withoutResponse, .onValue,
    ])
  static let reaction = Self("BLECentral.Characteristics[].OnValue[]", [.received, .receivedText, .reactionSteps])
  static let reactionStep = Self(
    "BLECentral.Characteristics[].OnValue[].Then[]",
    [.after, .reactionCharacteristic, .reactionWrite, .reactionText])
}

/// The keys of the central role.
extension SchemaKey {
  static let central = Self(
    "BLECentral", .dictionary, "blepera's description of the central role; this or BLEPeripheral is required")

  static let centralRestoreIdentifier = Self(
    "RestoreIdentifier", .string, "opts in to state restoration of the central manager, which needs bluetooth-central")
  static let scanServices = Self(
    "ScanServices", .uuids, "the services to scan for; default: all, which discovers nothing in the background")
  static let solicitedServices = Self(
    "SolicitedServices", .uuids, "peripherals that solicit one of these are discovered, too")
  static let allowDuplicates = Self(
    "AllowDuplicates", .boolean, "whether each advertisement is a discovery in the foreground; default: false")
  static let connect = Self("Connect", .dictionary, "the peripherals to connect to; default: none")
  static let remoteCharacteristics = Self(
    "Characteristics", .dictionaries, "the characteristics to discover and use after each connection, in this order")

  static let remoteName = Self("Name", .string, "the peripheral's name; default: any")
  static let remoteService = Self("Service", .uuid, "a service that the peripheral advertises; default: any")
  static let connectAll = Self(
    "All", .boolean, "whether to connect to all such peripherals, or to the first alone; default: false")
  static let reconnect = Self(
    "Reconnect", .boolean, "whether the app connects again at once after a loss, or scans again; default: true")
  static let connectOptions = Self("Options", .dictionary, "the options of the call; default: none")

  static let notifyOnConnection = Self(
    "NotifyOnConnection", .boolean, "alerts of connections while the app is suspended; default: false")
  static let notifyOnDisconnection = Self("NotifyOnDisconnection", .boolean, "alerts of disconnections; default: false")
  static let notifyOnNotification = Self("NotifyOnNotification", .boolean, "alerts of notifications; default: false")
  static let enableAutoReconnect = Self(
    "EnableAutoReconnect", .boolean, "whether the system connects again after a loss; default: false")
  static let startDelay = Self(
    "StartDelay", .number, "seconds before the system begins to connect, 0 to 86400; default: 0")

  static let ownerService = Self("Service", .uuid, required: true, "the service of the characteristic")
  static let read = Self("Read", .boolean, "whether the app reads the value after the connection; default: false")
  static let subscribe = Self("Subscribe", .boolean, "whether the app subscribes, before it reads; default: false")
  static let written = Self("Write", .bytes, "the value to write after that; default: none")
  static let writtenText = Self("WriteText", .string, "Write as text")
  static let withoutResponse = Self(
    "WithoutResponse", .boolean, "whether all writes are without response; default: false")
  static let onValue = Self(
    "OnValue", .dictionaries, "the reactions to a read or notified value; the first row that matches applies")

  static let received = Self(
    "Value", .pattern, "the value, as Write of a table of responses; default: any")
  static let receivedText = Self("Text", .string, "Value as text")
  static let reactionSteps = Self("Then", .dictionaries, required: true, "the writes, in order")

  static let reactionCharacteristic = Self(
    "Characteristic", .uuid, "one of `Characteristics`; default: the characteristic that has the value")
  static let reactionWrite = Self(
    "Write", .pattern, "the value to write, with {name} for captured bytes; this or WriteText is required")
  static let reactionText = Self("WriteText", .string, "Write as text")
}
