package import GATT

/// What a profile may set in place of its rule set's values; nil leaves the value as it is.
package struct RuleOverrides: Hashable, Sendable {
  package var foregroundInterval: AdvertisingInterval?
  package var backgroundInterval: AdvertisingInterval?
  package var suspendedError: ATTError?
  package var disablesCachedValues: Bool?

  package init(
    foregroundInterval: AdvertisingInterval? = nil, backgroundInterval: AdvertisingInterval? = nil,
    suspendedError: ATTError? = nil, disablesCachedValues: Bool? = nil
  ) {
    self.foregroundInterval = foregroundInterval
    self.backgroundInterval = backgroundInterval
    self.suspendedError = suspendedError
    self.disablesCachedValues = disablesCachedValues
  }
}
