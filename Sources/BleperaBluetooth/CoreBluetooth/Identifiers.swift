/// A service of one app, numbered by the app.
public struct ServiceID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A characteristic of one app: its place in its service, because UUIDs may repeat.
public struct CharacteristicID: Hashable, Codable, Sendable {
  public let service: ServiceID
  /// The place in the service's list, from 0.
  public let index: Int

  public init(service: ServiceID, index: Int) {
    self.service = service
    self.index = index
  }
}

/// A read or write that waits for its answer, numbered by the system.
public struct RequestID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A central, as `CBCentral.identifier` names it to an app: opaque, the same for as long as the central is known.
public struct CentralID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}
