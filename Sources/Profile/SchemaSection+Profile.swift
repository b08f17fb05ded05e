/// The dictionaries of a profile.
extension SchemaSection {
  static let file = Self(
    "", allowsOthers: true,
    [.bundleIdentifier, .bundleName, .bundleDisplayName, .backgroundModes, .accessorySetup, .peripheral])
  static let peripheral = Self("BLEPeripheral", [.restoreIdentifier, .advertisement, .services, .rules])
  static let advertisement = Self("BLEPeripheral.Advertisement", [.localName, .serviceUUIDs])
  static let rules = Self(
    "BLEPeripheral.Rules", [.foregroundInterval, .backgroundInterval, .suspendedError, .disablesCachedValues])
  static let service = Self(
    "BLEPeripheral.Services[]", [.serviceUUID, .primary, .includedServices, .characteristics])
  static let characteristic = Self(
    "BLEPeripheral.Services[].Characteristics[]",
    [.characteristicUUID, .properties, .permissions, .value, .behavior, .answerDelay, .descriptors])
  static let descriptor = Self(
    "BLEPeripheral.Services[].Characteristics[].Descriptors[]",
    [.descriptorUUID, .descriptorValue, .descriptorPermissions])

  private static let behaviorPath = "BLEPeripheral.Services[].Characteristics[].Behavior"

  static let behaviors: [Behavior.Kind: SchemaSection] = Dictionary(
    uniqueKeysWithValues: Behavior.Kind.allCases.map { ($0, Self(behaviorPath, kind: $0, keys(of: $0))) })

  /// A behavior whose kind is not known: any key that one of the kinds has may stand there.
  static let anyBehavior = Self(
    behaviorPath,
    [
      .kind, .source, .initialValue, SchemaKey("Format", .string, ""), .interval, .prefix, .start, .counterStep,
      SchemaKey("Minimum", .number, ""), SchemaKey("Maximum", .number, ""), SchemaKey("Period", .number, ""),
      SchemaKey("Values", .values, ""), .seed,
    ])

  private static func keys(of kind: Behavior.Kind) -> [SchemaKey] {
    switch kind {
    case .echo: [.kind, .source, .initialValue]
    case .counter: [.kind, .format, .start, .counterStep, .interval, .prefix]
    case .ramp: [.kind, .format, .minimum, .maximum, .rampStep, .interval, .prefix]
    case .sine: [.kind, .format, .minimum, .maximum, .period, .interval, .prefix]
    case .sequence: [.kind, .format, .values, .interval, .prefix]
    case .random: [.kind, .format, .minimum, .maximum, .seed, .interval, .prefix]
    }
  }
}

extension Profile {
  /// Every dictionary and key of the format, from which the checks and the tables of the documentation come.
  public static let schema: [SchemaSection] =
    [.file, .peripheral, .advertisement, .rules, .service, .characteristic, .descriptor]
    + Behavior.Kind.allCases.compactMap { SchemaSection.behaviors[$0] }
}
