/// The last AD structure says that it is longer than what is left of the packet.
public struct AdvertisingDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the structure begins, in bytes from the start of the packet.
  public let offset: Int
  /// How many bytes it says follow its length byte.
  public let needed: Int
  /// How many do.
  public let available: Int

  public init(offset: Int, needed: Int, available: Int) {
    self.offset = offset
    self.needed = needed
    self.available = available
  }

  public var description: String {
    "The AD structure at byte \(offset) says that \(needed) bytes follow its length, and \(available) do."
  }
}
