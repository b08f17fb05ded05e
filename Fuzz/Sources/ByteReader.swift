import BleperaBluetooth

/// Reads values from bytes; after the last byte, zeros.
struct ByteReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  mutating func flag() -> Bool { byte() & 1 == 1 }

  /// Reads a length and that many bytes.
  mutating func list() -> [UInt8] {
    let list = Array(bytes.dropFirst().prefix(Int(bytes.first ?? 0)))
    bytes = bytes.dropFirst(1 + list.count)
    return list
  }

  mutating func text() -> String { String(decoding: list(), as: UTF8.self) }

  /// Reads one of a few UUIDs, so that some are equal; half of them are assigned.
  mutating func uuid() -> BluetoothUUID {
    let byte = byte()
    switch byte >> 6 {
    case 0: return BluetoothUUID(0x1800 + UInt16(byte & 0x3F))
    case 1: return BluetoothUUID(0x2900 + UInt16(byte & 0x0F))
    case 2: return BluetoothUUID(0x2A00 + UInt16(self.byte()))
    default: return BluetoothUUID(bits: UInt128(byte) << 64 | UInt128(self.byte()))
    }
  }

  /// Reads at most `limit` elements.
  mutating func several<Element>(atMost limit: Int, _ make: (inout ByteReader) -> Element) -> [Element] {
    let count = Int(byte()) % (limit + 1)
    return (0..<count).map { _ in make(&self) }
  }
}
