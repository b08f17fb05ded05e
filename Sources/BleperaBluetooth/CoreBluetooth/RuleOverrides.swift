/// What an app sets in place of values of the rule set; nil leaves the value as it is.
public struct RuleOverrides: Hashable, Codable, Sendable {
  /// From one advertisement to the next in the foreground, in milliseconds.
  public var foregroundInterval: Double?
  /// From one advertisement to the next in the background, in milliseconds.
  public var backgroundInterval: Double?
  /// What reads and writes get while the app is suspended and is not woken for them.
  public var suspendedError: ATTError?
  /// Whether reads of cached values get that error too.
  public var disablesCachedValues: Bool?

  /// The milliseconds that an interval may have, which are those that a controller takes (Core Specification, Vol 4,
  /// Part E, 7.8.5).
  public static let intervals: ClosedRange<Double> = AdvertisingInterval.range

  public init(
    foregroundInterval: Double? = nil, backgroundInterval: Double? = nil, suspendedError: ATTError? = nil,
    disablesCachedValues: Bool? = nil
  ) {
    self.foregroundInterval = foregroundInterval
    self.backgroundInterval = backgroundInterval
    self.suspendedError = suspendedError
    self.disablesCachedValues = disablesCachedValues
  }
}
