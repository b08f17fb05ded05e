/// The content of one advertising or scan response packet (Core Specification, Vol 3, Part C, 11).
public struct AdvertisingData: Hashable, Sendable {
  /// The AD structures in the order of the packet.
  public var structures: [ADStructure]

  /// Creates a packet with these AD structures.
  public init(_ structures: [ADStructure] = []) { self.structures = structures }

  /// Decodes a packet up to its end or to a length of zero, which ends the packet early; throws for a truncated
  /// structure.
  public init(decoding bytes: [UInt8]) throws(AdvertisingDataError) {
    let (structures, error) = Self.parse(bytes)
    if let error { throw error }
    self.structures = structures
  }

  /// Decodes as receivers do: all structures before the first truncated one.
  public init(leniently bytes: [UInt8]) { structures = Self.parse(bytes).structures }

  /// The packet as it is sent.
  public var bytes: [UInt8] { structures.flatMap(\.bytes) }

  /// In bytes, including headers.
  public var length: Int { structures.reduce(0) { $0 + $1.length } }

  private static func parse(_ bytes: [UInt8]) -> (structures: [ADStructure], error: AdvertisingDataError?) {
    var structures: [ADStructure] = []
    var offset = 0
    while offset < bytes.count, bytes[offset] != 0 {
      let needed = Int(bytes[offset])
      let available = bytes.count - offset - 1
      guard needed <= available else {
        return (structures, AdvertisingDataError(offset: offset, needed: needed, available: available))
      }
      let payload = bytes[(offset + 2)..<(offset + 1 + needed)]
      structures.append(ADStructure(type: bytes[offset + 1], payload: Array(payload)))
      offset += 1 + needed
    }
    return (structures, nil)
  }
}
