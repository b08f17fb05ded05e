import GATT

/// The document's last line: an XML comment with the checksum of every byte before it. It is the same in every version,
/// so that a newer document is told from a damaged one.
enum Seal {
  private static let prefix = Array("<!-- CRC-32 ".utf8)
  private static let suffix = Array(" -->\n".utf8)
  private static let digits = 8
  private static let count = prefix.count + digits + suffix.count

  static func sealed(_ document: [UInt8]) -> [UInt8] {
    document + prefix + Array(text(CRC32.checksum(of: document[...])).utf8) + suffix
  }

  /// What stands before the seal.
  static func opened(_ bytes: [UInt8]) throws(Damage) -> ArraySlice<UInt8> {
    guard !bytes.isEmpty else { throw .empty }
    let body = bytes.dropLast(count)
    let seal = bytes[body.endIndex...]
    guard seal.count == count, seal.starts(with: prefix), seal.suffix(suffix.count).elementsEqual(suffix) else {
      throw .unsealed(length: bytes.count)
    }
    let written = String(decoding: seal.dropFirst(prefix.count).prefix(digits), as: UTF8.self)
    let computed = text(CRC32.checksum(of: body))
    guard written == computed else { throw .checksum(written: written, computed: computed) }
    return body
  }

  private static func text(_ checksum: UInt32) -> String {
    Hex.string((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
  }
}
