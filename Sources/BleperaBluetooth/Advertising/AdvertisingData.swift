/// The content of one advertising or scan response packet (Core Specification, Vol 3, Part C, 11).
public struct AdvertisingData: Hashable, Sendable {
  public var structures: [ADStructure]

  public init(_ structures: [ADStructure] = []) { self.structures = structures }

  /// Reads a packet up to its end or to a length of zero, which ends it early; a structure that is cut short is an
  /// error.
  public init(decoding bytes: [UInt8]) throws(AdvertisingDataError) {
    let (structures, error) = Self.parse(bytes)
    if let error { throw error }
    self.structures = structures
  }

  /// Reads what receivers read: all structures before the first that is cut short.
  public init(leniently bytes: [UInt8]) { structures = Self.parse(bytes).structures }

  public var bytes: [UInt8] { structures.flatMap(\.bytes) }

  /// In bytes, headers counted.
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
