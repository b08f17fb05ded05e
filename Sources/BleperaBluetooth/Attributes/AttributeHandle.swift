/// The number by which a central addresses an attribute (Core Specification, Vol 3, Part F, 3.2.2); 0x0000 is reserved.
public struct AttributeHandle: RawRepresentable, Hashable, Codable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }
}

extension AttributeHandle: Comparable {
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension AttributeHandle: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: UInt16) { self.init(rawValue: value) }
}

extension AttributeHandle: CustomStringConvertible {
  /// Four digits: `0x0103`.
  public var description: String {
    "0x" + Hex.string([UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)])
  }
}
