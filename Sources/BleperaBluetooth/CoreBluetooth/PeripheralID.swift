/// The identifier of a peripheral: on a radio its address, `00:11:22:33:44:55`, and for apps a UUID as of
/// `CBPeripheral.identifier`, the same as that of `CBCentral` for the same address.
package struct PeripheralID: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  /// The identifier that apps receive for a peripheral with this address.
  package var forApps: PeripheralID { PeripheralID(rawValue: CentralID(rawValue: rawValue).forApps.rawValue) }

  package static func < (left: PeripheralID, right: PeripheralID) -> Bool { left.rawValue < right.rawValue }

  package var description: String { rawValue }
}
