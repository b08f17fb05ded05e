/// A central's identifier for a peripheral, such as its address.
package struct PeripheralID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package static func < (left: PeripheralID, right: PeripheralID) -> Bool { left.rawValue < right.rawValue }

  package var description: String { rawValue }
}
