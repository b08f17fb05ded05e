import BleperaBluetooth

/// The last line of a state file: the checksum of every byte before it.
///
/// The checksum is independent of the version, so that a file of another version is not mistaken for a corrupt one.
enum Seal {
  private static let prefix = Array(#"{"crc32":""#.utf8)
  private static let suffix = Array("\"}\n".utf8)
  private static let digits = 8

  static func sealed(_ body: [UInt8]) -> [UInt8] {
    body + prefix + Array(text(CRC32.checksum(of: body[...])).utf8) + suffix
  }

  /// The bytes before the seal.
  static func opened(_ bytes: [UInt8]) throws(StateFileCorruption) -> ArraySlice<UInt8> {
    guard !bytes.isEmpty else { throw .empty }
    let seal = bytes.suffix(prefix.count + digits + suffix.count)
    guard seal.count == prefix.count + digits + suffix.count, seal.starts(with: prefix),
      seal.suffix(suffix.count).elementsEqual(suffix)
    else { throw .truncated(length: bytes.count) }
    let body = bytes[..<seal.startIndex]
    let written = String(decoding: seal.dropFirst(prefix.count).prefix(digits), as: UTF8.self)
    let computed = text(CRC32.checksum(of: body))
    guard written == computed else { throw .checksum(written: written, computed: computed) }
    return body
  }

  private static func text(_ checksum: UInt32) -> String {
    Hex.string((0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
  }
}

/// CRC-32 as in zlib, Ethernet and PNG: CRC-32/ISO-HDLC, polynomial 0x04C11DB7, reflected, 0xFFFFFFFF before and after.
/// The checksum detects every error within 32 neighboring bits, such as a flipped bit.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
  }

  /// Uses pointers, because a build without optimization takes a tenth of the time that array subscripts take.
  static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
    unsafe table.withUnsafeBufferPointer { table in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        guard let table = table.baseAddress, var next = bytes.baseAddress else { return 0 }
        let end = unsafe next + bytes.count
        var value = UInt32.max
        while unsafe next != end {
          value = unsafe value >> 8 ^ table[Int(truncatingIfNeeded: (value ^ UInt32(next.pointee)) & 0xFF)]
          unsafe next += 1
        }
        return ~value
      }
    }
  }
}
