extension OverflowArea {
  /// Decodes what a scanner reports: the 16 bytes of a mask; manufacturer data with or without the company identifier,
  /// 19 or 17 bytes; an AD structure; or an advertisement, a scan response or both, with the area anywhere in them.
  ///
  /// Manufacturer data that begins with the company identifier may also contain other items of Apple: Android joins
  /// those of an advertisement and its scan response, behind a flag in version 15 and always from 16 on.
  public init(decoding bytes: [UInt8]) throws(OverflowAreaError) {
    let company = Self.companyBytes
    switch bytes.count {
    case Self.maskLength:
      self.init(littleEndian: bytes[...])
    case Self.maskLength + 1 where bytes.first == Self.itemType:
      self.init(littleEndian: bytes[1...])
    case _ where bytes.starts(with: company):
      try self.init(of: [ADStructure(type: ADType.manufacturerData, payload: bytes)])
    case Self.maskLength + 1:
      throw OverflowAreaError(.beginning(bytes, expected: [Self.itemType]))
    case Self.maskLength + 3:
      throw OverflowAreaError(.beginning(bytes, expected: company + [Self.itemType]))
    case (Self.length - 1)...:
      let packet: AdvertisingData
      do throws(AdvertisingDataError) {
        packet = try AdvertisingData(decoding: bytes)
      } catch {
        throw OverflowAreaError(.cutShort(error))
      }
      try self.init(of: packet.structures)
    default:
      throw OverflowAreaError(.length(bytes.count))
    }
  }

  /// The overflow area in an AD structure; nil unless the structure is Apple's manufacturer data with a mask.
  public init?(_ structure: ADStructure) {
    guard case .manufacturerData(Self.companyIdentifier, let data) = structure else { return nil }
    var area: OverflowArea?
    var rest = data[...]
    while let type = rest.popFirst() {
      // Every other item has a length byte.
      let length = type == Self.itemType ? Self.maskLength : rest.popFirst().map { Int($0) }
      guard let length, length <= rest.count else { return nil }
      if type == Self.itemType {
        area = OverflowArea(littleEndian: rest.prefix(length)).union(area ?? OverflowArea())
      }
      rest = rest.dropFirst(length)
    }
    guard let area else { return nil }
    self = area
  }

  /// The union of the overflow areas in the structures; nil where there is none.
  package init?(in structures: [ADStructure]) {
    let areas = structures.compactMap { OverflowArea($0) }
    guard !areas.isEmpty else { return nil }
    self = areas.reduce(OverflowArea()) { $0.union($1) }
  }

  private init(of structures: [ADStructure]) throws(OverflowAreaError) {
    guard let area = OverflowArea(in: structures) else { throw OverflowAreaError(.absent(structures)) }
    self = area
  }

  private init(littleEndian bytes: ArraySlice<UInt8>) {
    self.init(mask: bytes.reversed().reduce(0) { $0 << 8 | UInt128($1) })
  }

  private static var companyBytes: [UInt8] {
    [UInt8(truncatingIfNeeded: companyIdentifier), UInt8(truncatingIfNeeded: companyIdentifier >> 8)]
  }
}
