/// The length of the last AD structure exceeds the rest of the packet.
public struct AdvertisingDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the structure begins, in bytes from the start of the packet.
  public let offset: Int
  /// The number of bytes after the length byte that the structure declares.
  public let needed: Int
  /// The number of bytes after the length byte that the packet has.
  public let available: Int

  /// Creates an error for the structure at that offset.
  public init(offset: Int, needed: Int, available: Int) {
    self.offset = offset
    self.needed = needed
    self.available = available
  }

  public var description: String {
    "The AD structure at byte \(offset) says that \(needed) bytes follow its length, and \(available) do."
  }
}
