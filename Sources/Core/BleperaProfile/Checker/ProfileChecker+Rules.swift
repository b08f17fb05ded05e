import BleperaBluetooth
import BleperaPropertyLists

/// The keys of `Rules`, which override values of the rule set.
extension SchemaKey {
  static let foregroundInterval = Self(
    "ForegroundInterval", .number, "milliseconds between advertisements in the foreground, 20 to 10240")
  static let backgroundInterval = Self(
    "BackgroundInterval", .number, "milliseconds between advertisements in the background, 20 to 10240")
  static let suspendedError = Self(
    "SuspendedError", .attError, "the error for reads and writes while the app is suspended and not woken for them")
  static let disablesCachedValues = Self(
    "DisablesCachedValues", .boolean, "whether reads of cached values get that error too")
  static let transmitQueue = Self(
    "TransmitQueue", .integer, "updates that may wait for a central before the app has to wait, 1 to 1000000")
}

extension SchemaSection {
  static let rules = Self(
    "BLEPeripheral.Rules",
    [.foregroundInterval, .backgroundInterval, .suspendedError, .disablesCachedValues, .transmitQueue])
}

extension ProfileChecker {
  mutating func rules(_ peripheral: Fields) -> RuleOverrides {
    var rules = RuleOverrides()
    guard let field = peripheral[.rules], let fields = fields(of: field.node, .rules, field.path) else { return rules }
    rules.foregroundInterval = milliseconds(fields, .foregroundInterval)
    rules.backgroundInterval = milliseconds(fields, .backgroundInterval)
    rules.suspendedError = fields[.suspendedError].flatMap { attError($0) }
    if case .boolean(let value)? = fields[.disablesCachedValues]?.node.value { rules.disablesCachedValues = value }
    rules.transmitQueue = integer(fields, .transmitQueue, in: 1...1_000_000)
    return rules
  }

  private mutating func milliseconds(_ fields: Fields, _ key: SchemaKey) -> Double? {
    quantity(fields, key, of: "milliseconds", in: RuleOverrides.intervals)
  }
}
