/// The values of the rule set that an app overrides; nil keeps the value.
public struct RuleOverrides: Hashable, Codable, Sendable {
  /// The advertising interval in the foreground, in milliseconds.
  public var foregroundInterval: Double?
  /// The advertising interval in the background, in milliseconds.
  public var backgroundInterval: Double?
  /// The error for reads and writes while a foreground-only app is outside the foreground.
  public var suspendedError: ATTError?
  /// Whether reads of cached values receive that error too.
  public var disablesCachedValues: Bool?
  /// How many updates may wait for one central before `updateValue` returns false; at least 1.
  public var transmitQueue: Int?

  /// The intervals in milliseconds that a controller accepts (Core Specification, Vol 4, Part E, 7.8.5).
  public static let intervals: ClosedRange<Double> = AdvertisingInterval.range

  /// Creates overrides; by default nothing is overridden.
  public init(
    foregroundInterval: Double? = nil, backgroundInterval: Double? = nil, suspendedError: ATTError? = nil,
    disablesCachedValues: Bool? = nil, transmitQueue: Int? = nil
  ) {
    self.foregroundInterval = foregroundInterval
    self.backgroundInterval = backgroundInterval
    self.suspendedError = suspendedError
    self.disablesCachedValues = disablesCachedValues
    self.transmitQueue = transmitQueue
  }
}
