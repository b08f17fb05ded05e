extension SystemStatus {
  /// A subscription, as `status` shows it.
  public struct Subscriber: Hashable, Codable, Sendable {
    /// The central's address.
    public var central: String
    /// The app's bundle identifier.
    public var app: String
    public var service: String
    public var characteristic: String

    public init(central: String, app: String, service: String, characteristic: String) {
      self.central = central
      self.app = app
      self.service = service
      self.characteristic = characteristic
    }
  }
}
