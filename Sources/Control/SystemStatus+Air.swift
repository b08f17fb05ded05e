extension SystemStatus {
  /// What is on the air, as `status` shows it.
  public struct Air: Hashable, Codable, Sendable {
    /// One advertisement of BlueZ's.
    public struct Packet: Hashable, Codable, Sendable {
      /// Hexadecimal digits, at most 31 bytes.
      public var advertisingData: String
      /// Hexadecimal digits, at most 31 bytes.
      public var scanResponse: String
      /// Whether bluetoothd has taken it.
      public var isRegistered: Bool

      public init(advertisingData: String, scanResponse: String, isRegistered: Bool) {
        self.advertisingData = advertisingData
        self.scanResponse = scanResponse
        self.isRegistered = isRegistered
      }
    }

    /// In milliseconds.
    public struct Interval: Hashable, Codable, Sendable {
      public var minimum: Double
      public var maximum: Double

      public init(minimum: Double, maximum: Double) {
        self.minimum = minimum
        self.maximum = maximum
      }
    }

    /// None, one, or two.
    public var advertisements: [Packet]
    /// `foreground` or `background`; nil while nothing is on the air.
    public var pace: String?
    /// Of the rule set.
    public var intervalAskedFor: Interval?
    /// What the controller is given: steps of 0.625 ms. Nil where bluetoothd passes over what it is asked.
    public var intervalInForce: Interval?
    /// The service UUIDs in the overflow area.
    public var overflow: [String]
    /// What was moved, shortened, dropped or withheld, each with its rule.
    public var reasons: [String]

    public init(
      advertisements: [Packet] = [], pace: String? = nil, intervalAskedFor: Interval? = nil,
      intervalInForce: Interval? = nil, overflow: [String] = [], reasons: [String] = []
    ) {
      self.advertisements = advertisements
      self.pace = pace
      self.intervalAskedFor = intervalAskedFor
      self.intervalInForce = intervalInForce
      self.overflow = overflow
      self.reasons = reasons
    }
  }
}
