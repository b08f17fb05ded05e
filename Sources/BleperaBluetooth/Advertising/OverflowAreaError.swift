/// Bytes that neither are nor contain an overflow area.
public struct OverflowAreaError: Error, Hashable, Sendable {
  /// What the bytes are instead.
  public let found: Found

  /// Creates an error for what was found.
  public init(_ found: Found) { self.found = found }

  /// What bytes are that are no overflow area.
  public enum Found: Hashable, Sendable {
    /// A number of bytes that no accepted form has.
    case length(Int)
    /// Bytes of a valid length that do not begin as manufacturer data with an overflow area does.
    case beginning([UInt8], expected: [UInt8])
    /// An AD structure that ends after the bytes.
    case cutShort(AdvertisingDataError)
    /// AD structures without an overflow area.
    case absent([ADStructure])
  }
}

extension OverflowAreaError: CustomStringConvertible {
  /// One whole sentence: what was found and what was expected.
  public var description: String {
    switch found {
    case .length(let count):
      return """
        Found \(Quote.counted(count, "byte")); expected 16 of a mask, 17 or 19 of manufacturer data (01 or \
        4C 00 01, and the mask), or an advertisement with the 21 of 14 FF 4C 00 01 and the mask.
        """
    case .beginning(let bytes, let expected):
      let beginning = Hex.string(bytes.prefix(expected.count), separator: " ")
      return """
        Found \(bytes.count) bytes that begin with \(beginning); expected \(Hex.string(expected, separator: " ")) and a \
        mask of 16 bytes.
        """
    case .cutShort(let error):
      return """
        Found an AD structure at byte \(error.offset) of which \(error.available) of \(error.needed) bytes are there; \
        expected a whole advertisement.
        """
    case .absent(let structures):
      return "Found \(Self.list(structures)); expected FF with 4C 00 01 and a mask of 16 bytes."
    }
  }

  /// `the AD structures 01, 0A and FF (4C 00 10, 10 bytes)`.
  private static func list(_ structures: [ADStructure]) -> String {
    let names = structures.map(name)
    guard let last = names.last else { return "no AD structure" }
    guard names.count > 1 else { return "the AD structure \(last)" }
    return "the AD structures \(names.dropLast().joined(separator: ", ")) and \(last)"
  }

  private static func name(_ structure: ADStructure) -> String {
    let type = Hex.string([structure.type])
    guard structure.type == ADType.manufacturerData else { return type }
    let payload = structure.payload
    return "\(type) (\(Hex.string(payload.prefix(3), separator: " ")), \(payload.count) bytes)"
  }
}
