/// No gap between the published services is large enough for the service.
public struct HandleSpaceExhausted: Error, Hashable, Sendable, CustomStringConvertible {
  /// The service that does not fit.
  public let service: BluetoothUUID
  /// The number of handles that the service needs.
  public let needed: Int
  /// The length of the longest run of free handles.
  public let available: Int

  /// Creates an error for a service that does not fit.
  public init(service: BluetoothUUID, needed: Int, available: Int) {
    self.service = service
    self.needed = needed
    self.available = available
  }

  public var description: String {
    "Service \(service) takes \(needed) attribute handles in a row, and at most \(available) are free."
  }
}
