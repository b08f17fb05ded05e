import BleperaBluetooth
package import BleperaPropertyLists

/// The dictionaries of a profile.
extension SchemaSection {
  static let file = Self("", allowsOthers: true, identity + [.peripheral, .central])
  /// The file of an app without the central role.
  static let peripheralFile = Self("", allowsOthers: true, identity + [.requiredPeripheral, .central])

  private static let identity: [SchemaKey] = [
    .bundleIdentifier, .bundleName, .bundleDisplayName, .backgroundModes, .accessorySetup, .accessorySetupKit,
  ]

  static let peripheral = Self("BLEPeripheral", [.restoreIdentifier, .advertisement, .services, .channels, .rules])
  static let advertisement = Self(
    "BLEPeripheral.Advertisement", limit: "Core Bluetooth lets an app advertise nothing else",
    [.localName, .serviceUUIDs])
  static let channel = Self("BLEPeripheral.L2CAPChannels[]", [.channelKind, .channelEncryption])
  static let service = Self(
    "BLEPeripheral.Services[]", [.serviceUUID, .primary, .includedServices, .states, .characteristics])
  static let characteristic = Self(
    "BLEPeripheral.Services[].Characteristics[]",
    [
      .characteristicUUID, .properties, .permissions, .value, .text, .behavior, .firstValue, .initialText, .answerDelay,
      .descriptors,
    ])
  static let descriptor = Self(
    "BLEPeripheral.Services[].Characteristics[].Descriptors[]",
    [.descriptorUUID, .descriptorValue, .descriptorText, .descriptorPermissions])

  private static let behaviorPath = "BLEPeripheral.Services[].Characteristics[].Behavior"

  static let behaviors: [Behavior.Kind: SchemaSection] = Dictionary(
    uniqueKeysWithValues: Behavior.Kind.allCases.map { ($0, Self(behaviorPath, kind: $0.rawValue, keys(of: $0))) })

  /// A behavior of unknown kind: the keys of all kinds are allowed.
  static let anyBehavior = Self(
    behaviorPath,
    [
      .kind, .source, .initialValue, .initialText, SchemaKey("Format", .string, ""), .interval, .prefix, .prefixText,
      .start, .counterStep,
      SchemaKey("Minimum", .number, ""), SchemaKey("Maximum", .number, ""), SchemaKey("Period", .number, ""),
      SchemaKey("Values", .values, ""), .seed, .startsAt, .decimals, SchemaKey("Responses", .dictionaries, ""),
      .otherwise,
    ])

  private static let everyGenerator: [SchemaKey] = [.interval, .startsAt, .prefix, .prefixText, .decimals]

  private static func keys(of kind: Behavior.Kind) -> [SchemaKey] {
    switch kind {
    case .echo: [.kind, .source, .initialValue, .initialText]
    case .counter: [.kind, .format, .start, .counterStep] + everyGenerator
    case .ramp: [.kind, .format, .minimum, .maximum, .rampStep] + everyGenerator
    case .sine: [.kind, .format, .minimum, .maximum, .period] + everyGenerator
    case .sequence: [.kind, .format, .values] + everyGenerator
    case .random: [.kind, .format, .minimum, .maximum, .seed] + everyGenerator
    case .responses: [.kind, .responses, .otherwise, .storedValue, .initialText]
    }
  }
}

extension Profile {
  /// Every dictionary and key of the format, the source of the checks and of `blepera help profile`.
  package static let schema: [SchemaSection] =
    [.file, .peripheral, .advertisement, .rules, .channel, .service, .characteristic, .descriptor, .response, .step]
    + Behavior.Kind.allCases.compactMap { SchemaSection.behaviors[$0] }
    + [.central, .connect, .connectOptions, .remoteCharacteristic, .reaction, .reactionStep]
}

/// The keys of profiles, without the keys of behaviors and rules.
extension SchemaKey {
  static let bundleIdentifier = Self(
    "CFBundleIdentifier", .string, "the app's identifier; default: the name of the file")
  static let bundleName = Self("CFBundleName", .string, "the app's name")
  static let bundleDisplayName = Self("CFBundleDisplayName", .string, "the app's name, before CFBundleName")
  static let backgroundModes = Self(
    "UIBackgroundModes", .strings,
    "with bluetooth-peripheral or bluetooth-central the app's role runs on in the background; default: none")
  static let accessorySetup = Self(
    "NSAccessorySetupSupports", .strings, "with Bluetooth iOS 26 relaunches the app after more; default: none")
  static let accessorySetupKit = Self("NSAccessorySetupKitSupports", .strings, "as NSAccessorySetupSupports")
  static let peripheral = Self(
    "BLEPeripheral", .dictionary, "blepera's description of the peripheral role; this or BLECentral is required")
  static let requiredPeripheral = Self(peripheral.name, peripheral.type, required: true, peripheral.meaning)

  static let restoreIdentifier = Self(
    "RestoreIdentifier", .string, "opts in to state restoration, which needs bluetooth-peripheral")
  static let advertisement = Self("Advertisement", .dictionary, "the advertised data; default: no advertising")
  static let services = Self("Services", .dictionaries, "the services in the order in which they are added")
  static let rules = Self("Rules", .dictionary, "in place of the rule set's values")

  static let channels = Self("L2CAPChannels", .dictionaries, "the L2CAP channels that centrals can open")

  static let channelKind = Self("Kind", .string, required: true, "echo: the data of a central is sent back")
  static let channelEncryption = Self("Encryption", .boolean, "whether a central has to be paired; default: false")

  static let localName = Self("LocalName", .string, "the advertised name, at most 248 bytes of UTF-8")
  static let serviceUUIDs = Self("ServiceUUIDs", .uuids, "the advertised services")

  static let serviceUUID = Self("UUID", .uuid, required: true, "the service's UUID, of 16, 32 or 128 bits")
  static let primary = Self("Primary", .boolean, "whether the service is a primary one; default: true")
  static let includedServices = Self("IncludedServices", .uuids, "services declared earlier in `Services`")
  static let characteristics = Self("Characteristics", .dictionaries, "the service's characteristics")

  static let characteristicUUID = Self("UUID", .uuid, required: true, "the characteristic's UUID")
  static let properties = Self(
    "Properties", .strings, required: true,
    "names of CBCharacteristicProperties: read, write, writeWithoutResponse, notify, indicate, ...")
  static let permissions = Self(
    "Permissions", .strings, required: true,
    "names of CBAttributePermissions: readable, writeable, readEncryptionRequired, writeEncryptionRequired")
  static let value = Self("Value", .bytes, "a cached value of at most 512 bytes: read-only, and never changes")
  static let text = Self("Text", .string, "a cached value as text, in place of Value")
  static let behavior = Self("Behavior", .dictionary, "the source of a dynamic characteristic's values")
  static let answerDelay = Self(
    "AnswerDelay", .number, "seconds that the app takes over each read and write, 0 to 3600; default: 0")
  static let descriptors = Self("Descriptors", .dictionaries, "descriptors besides those that the system makes")

  static let descriptorUUID = Self(
    "UUID", .uuid, required: true, "2901 (user description), 2904 (presentation format), or another")
  static let descriptorValue = Self(
    "Value", .bytes, "the value; seven bytes for 2904; this or Text is required")
  static let descriptorText = Self("Text", .string, "the value as text, required for 2901")
  static let descriptorPermissions = Self(
    "Permissions", .strings, "as for a characteristic; default: readable, and anything else is blepera's own")
}

/// The keys of behaviors.
extension SchemaKey {
  static let kind = Self(
    "Kind", .string, required: true, Quote.list(Behavior.Kind.allCases.map(\.rawValue)))
  static let source = Self(
    "Source", .uuid, "the characteristic of the same service whose writes are echoed; default: this one")
  static let initialValue = Self("InitialValue", .bytes, "the value before the first write; default: empty")
  static let initialText = Self("InitialText", .string, "InitialValue as text")
  static let format = Self(
    "Format", .string, required: true,
    "uint8 to uint64, sint8 to sint64, float32, float64, medfloat16, medfloat32, utf8, hex")
  static let interval = Self("Interval", .number, "seconds between values, 0.02 to 86400; default: 1")
  static let startsAt = Self(
    "StartsAt", .string, "launch, or subscription: begins again an interval after somebody subscribes; default: launch")
  static let decimals = Self(
    "Decimals", .integer, "digits after the point of medfloat16 and medfloat32, 0 to 7; default: as many as there are")
  static let prefix = Self("Prefix", .bytes, "bytes before each value; default: none")
  static let prefixText = Self("PrefixText", .string, "Prefix as text")
  static let start = Self("Start", .number, "the first value; default: 0")
  static let counterStep = Self("Step", .number, "the difference of two successive values; default: 1")
  static let rampStep = Self("Step", .number, "the difference of two successive values, above 0; default: 1")
  static let minimum = Self("Minimum", .number, required: true, "the least value")
  static let maximum = Self("Maximum", .number, required: true, "the greatest value")
  static let period = Self("Period", .number, required: true, "seconds of a whole wave, 0.001 to 31536000")
  static let values = Self(
    "Values", .values, required: true, "numbers; strings for utf8; hexadecimal strings or data for hex")
  static let seed = Self("Seed", .integer, "makes the values equal in all runs; default: each run has other values")
}
