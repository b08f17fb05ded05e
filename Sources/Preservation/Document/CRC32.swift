/// CRC-32 as zlib, Ethernet and PNG have it: CRC-32/ISO-HDLC, polynomial 0x04C11DB7, reflected, 0xFFFFFFFF before and
/// after. It finds every error of up to 32 neighbouring bits, so every flipped one.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 0 ? 0 : 0xEDB8_8320) }
  }

  /// Over pointers, because a build without optimisation takes a tenth of the time that an array's subscripts do.
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
