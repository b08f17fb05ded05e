extension SystemStatus {
  /// A subscription, as `status` shows it.
  public struct Subscriber: Hashable, Codable, Sendable {
    /// The central's address.
    public var central: String
    /// The app's bundle identifier.
    public var app: String
    public var service: String
    public var characteristic: String
    /// Whether it was subscribed before the system was started anew, and has not subscribed again.
    public var isAwaited: Bool
    /// How many values are kept for it.
    public var kept: Int
    /// How many older ones have given way.
    public var dropped: Int

    public init(
      central: String, app: String, service: String, characteristic: String, isAwaited: Bool = false, kept: Int = 0,
      dropped: Int = 0
    ) {
      self.central = central
      self.app = app
      self.service = service
      self.characteristic = characteristic
      self.isAwaited = isAwaited
      self.kept = kept
      self.dropped = dropped
    }
  }
}
