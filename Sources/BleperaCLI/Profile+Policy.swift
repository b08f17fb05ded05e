import Policy
import Profile

/// A profile as the rules see it.
extension Profile {
  /// - Parameter fileName: the app's name where the profile has none.
  func appDescription(fileName: String) -> AppDescription {
    AppDescription(
      name: bundleName ?? fileName, hasBackgroundMode: hasPeripheralBackgroundMode,
      overrides: RuleOverrides(
        foregroundMilliseconds: rules.foregroundInterval, backgroundMilliseconds: rules.backgroundInterval,
        suspendedError: rules.suspendedError, disablesCachedValues: rules.disablesCachedValues))
  }

  /// What the app passes to `startAdvertising`; nil where it does not advertise.
  var advertisedFields: AdvertisedFields? {
    advertisement.map { AdvertisedFields(localName: $0.localName, serviceUUIDs: $0.serviceUUIDs) }
  }
}
