/// A Bluetooth device address of 48 bits, public or random.
package struct DeviceAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let bits: UInt64
  package let isRandom: Bool

  /// - Parameter isRandom: nil where this is not known: an address with the form of a resolvable private or a static
  ///   address is then random.
  package init(bits: UInt64, isRandom: Bool? = nil) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
    self.isRandom = isRandom ?? (self.bits & Self.randomForm != 0)
  }

  /// A random address of the static form.
  package static func `static`(_ bits: UInt64) -> Self { Self(bits: bits | 0xC000_0000_0000, isRandom: true) }

  private static let randomForm: UInt64 = 0x4000_0000_0000

  /// Parses `00:AA:01:00:00:42`, in upper or lower case; nil for any other form.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }), let bytes = Hex.bytes(parts.joined()) else {
      return nil
    }
    self.init(bits: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  private var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (40 - 8 * $0)) } }

  package var description: String { Hex.string(bytes, separator: ":") }

  /// `dev_00_AA_01_00_00_42`.
  package var pathElement: String { "dev_" + Hex.string(bytes, separator: "_") }

  /// `public` or `random`, the values of Device1.AddressType.
  package var kind: String { isRandom ? "random" : "public" }

  package static func < (left: Self, right: Self) -> Bool {
    left.bits == right.bits ? !left.isRandom && right.isRandom : left.bits < right.bits
  }
}
