extension OverflowArea {
  /// The valid bits.
  public static let allBits = 0..<128

  /// The bit that represents a UUID, 0 to 127; the same for all widths of the UUID.
  ///
  /// The bit is the low 7 bits of a CRC-8 over the 16 bytes of the 128-bit form in printed order: polynomial 0x09
  /// (x⁸ + x³ + 1), initial value 0, not reflected. The tables of davidgyoung/OverflowAreaBeaconRef and
  /// crownstone/bluenet-ios-lib, 128 UUIDs each, agree; no capture of a 32-bit UUID is published.
  public static func bit(of uuid: BluetoothUUID) -> Int {
    var register: UInt8 = 0
    for byte in uuid.bytes {
      register ^= byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x09 }
    }
    return Int(register & 0x7F)
  }

  /// The lowest 128-bit UUID with the bit, `00000000-0000-0000-0000-0000000000XX`; nil for an invalid bit.
  public static func uuid(forBit bit: Int) -> BluetoothUUID? {
    // The CRC maps the values of the last 7 bits onto the bits one to one.
    allBits.lazy.map { BluetoothUUID(bits: UInt128($0)) }.first { Self.bit(of: $0) == bit }
  }

  /// The lowest 16-bit UUID with the bit, which the Bluetooth SIG may have assigned; nil for an invalid bit.
  public static func shortUUID(forBit bit: Int) -> BluetoothUUID? {
    guard allBits.contains(bit) else { return nil }
    return (0...UInt16.max).lazy.map { BluetoothUUID($0) }.first { Self.bit(of: $0) == bit }
  }

  /// The groups of different UUIDs that share a bit, in the order of their first UUIDs.
  public static func collisions(among uuids: some Sequence<BluetoothUUID>) -> [[BluetoothUUID]] {
    var seen: Set<BluetoothUUID> = []
    let different = uuids.filter { seen.insert($0).inserted }
    let groups = Dictionary(grouping: different, by: bit)
    var told: Set<Int> = []
    return different.compactMap { uuid in
      let bit = bit(of: uuid)
      guard let group = groups[bit], group.count > 1, told.insert(bit).inserted else { return nil }
      return group
    }
  }
}
