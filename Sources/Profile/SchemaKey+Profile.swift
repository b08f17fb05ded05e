/// Every key there is, each declared once.
extension SchemaKey {
  static let bundleIdentifier = Self(
    "CFBundleIdentifier", .string, "the app's identifier; default: the name of the file")
  static let bundleName = Self("CFBundleName", .string, "the app's name")
  static let bundleDisplayName = Self("CFBundleDisplayName", .string, "the app's name, before CFBundleName")
  static let backgroundModes = Self(
    "UIBackgroundModes", .strings, "with bluetooth-peripheral the app runs on in the background; default: none")
  static let accessorySetup = Self(
    "NSAccessorySetupKitSupports", .strings, "with Bluetooth iOS 26 relaunches the app after more; default: none")
  static let peripheral = Self("BLEPeripheral", .dictionary, required: true, "what blepera adds to an Info.plist")

  static let restoreIdentifier = Self(
    "RestoreIdentifier", .string, "opts in to state restoration; unique on the system")
  static let advertisement = Self("Advertisement", .dictionary, "what is advertised; without it nothing is")
  static let services = Self("Services", .dictionaries, "the services in the order in which they are added")
  static let rules = Self("Rules", .dictionary, "in place of the rule set's values")

  static let localName = Self("LocalName", .string, "the advertised name, at most 248 bytes of UTF-8")
  static let serviceUUIDs = Self("ServiceUUIDs", .uuids, "the advertised services")

  static let serviceUUID = Self("UUID", .uuid, required: true, "the service's UUID, of 16, 32 or 128 bits")
  static let primary = Self("Primary", .boolean, "whether the service is a primary one; default: true")
  static let includedServices = Self("IncludedServices", .uuids, "services that stand before this one")
  static let characteristics = Self("Characteristics", .dictionaries, "the service's characteristics")

  static let characteristicUUID = Self("UUID", .uuid, required: true, "the characteristic's UUID")
  static let properties = Self(
    "Properties", .strings, required: true,
    "names of CBCharacteristicProperties: read, write, writeWithoutResponse, notify, indicate, ...")
  static let permissions = Self(
    "Permissions", .strings, required: true,
    "names of CBAttributePermissions: readable, writeable, readEncryptionRequired, writeEncryptionRequired")
  static let value = Self("Value", .bytes, "a cached value of at most 512 bytes: read-only, and never changes")
  static let behavior = Self("Behavior", .dictionary, "where the values of a dynamic characteristic come from")
  static let answerDelay = Self(
    "AnswerDelay", .number, "seconds that the app takes over each read and write, 0 to 3600; default: 0")
  static let descriptors = Self("Descriptors", .dictionaries, "descriptors besides those that the system makes")

  static let descriptorUUID = Self(
    "UUID", .uuid, required: true, "2901 (user description) or 2904 (presentation format)")
  static let descriptorValue = Self("Value", .bytes, required: true, "a string for 2901, seven bytes of data for 2904")
  static let descriptorPermissions = Self(
    "Permissions", .strings, "as for a characteristic; default: readable, and anything else is blepera's own")
}
