/// The number of a service, assigned by its app.
public struct ServiceID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// A characteristic of an app, identified by its index in the service, because UUIDs may repeat.
public struct CharacteristicID: Hashable, Codable, Sendable {
  public let service: ServiceID
  /// The index in the service's list of characteristics, from 0.
  public let index: Int

  public init(service: ServiceID, index: Int) {
    self.service = service
    self.index = index
  }
}

/// The number of a read or write that waits for its response, assigned by the system.
public struct RequestID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// The identifier of a central, like `CBCentral.identifier`: opaque, and constant for as long as the central is known.
public struct CentralID: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}
