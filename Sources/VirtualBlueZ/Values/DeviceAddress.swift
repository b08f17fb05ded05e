import GATT

/// A Bluetooth device address of 48 bits.
package struct DeviceAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let bits: UInt64
  /// A static random one; otherwise public.
  package let isRandom: Bool

  package init(bits: UInt64, isRandom: Bool = false) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
    self.isRandom = isRandom
  }

  /// Reads `00:AA:01:00:00:42`, in either case; nil for anything else.
  package init?(_ text: String, isRandom: Bool = false) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }), let bytes = Hex.bytes(parts.joined()) else {
      return nil
    }
    self.init(bits: bytes.reduce(0) { $0 << 8 | UInt64($1) }, isRandom: isRandom)
  }

  private var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) } }

  package var description: String { Hex.string(bytes, separator: ":") }

  /// `dev_00_AA_01_00_00_42`.
  package var pathElement: String { "dev_" + Hex.string(bytes, separator: "_") }

  /// `public` or `random`, as Device1.AddressType says it.
  package var kind: String { isRandom ? "random" : "public" }

  package static func < (left: Self, right: Self) -> Bool {
    (left.bits, left.isRandom ? 1 : 0) < (right.bits, right.isRandom ? 1 : 0)
  }
}
