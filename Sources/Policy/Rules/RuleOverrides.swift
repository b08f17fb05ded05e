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

  /// One figure for each interval, in milliseconds; one that no controller takes, and the error 0, are passed over.
  package init(
    foregroundMilliseconds: Double?, backgroundMilliseconds: Double?, suspendedError: ATTError?,
    disablesCachedValues: Bool?
  ) {
    func interval(_ milliseconds: Double?) -> AdvertisingInterval? {
      milliseconds.flatMap { AdvertisingInterval(minimum: $0, maximum: $0) }
    }
    self.init(
      foregroundInterval: interval(foregroundMilliseconds), backgroundInterval: interval(backgroundMilliseconds),
      suspendedError: suspendedError.flatMap { $0.rawValue == 0 ? nil : $0 },
      disablesCachedValues: disablesCachedValues)
  }
}
