/// An item of Apple's manufacturer data: type, length and value (furiousMAC/continuity). The overflow area alone has no
/// length.
public struct AppleItem: Hashable, Sendable, CustomStringConvertible {
  /// `0x10` for Nearby Info, `0x0F` for Nearby Action, `0x0C` for Handoff.
  public let type: UInt8
  /// The bytes after type and length.
  public let value: [UInt8]

  /// Creates an item with at most 255 bytes.
  public init(type: UInt8, value: [UInt8]) {
    self.type = type
    self.value = value
  }

  /// Nearby Info as Herald captured it from an iPhone X; the last bytes of an iPhone's change.
  public static let nearbyInfo = AppleItem(type: 0x10, value: [0x07, 0x1E, 0xA3, 0xDD, 0x89, 0xE0])

  /// What the item is called; nil where its type is not known.
  public static func name(ofType type: UInt8) -> String? { names[type] }

  private static let names: [UInt8: String] = [
    0x02: "iBeacon", 0x05: "AirDrop", 0x07: "Proximity Pairing", 0x09: "AirPlay Target", 0x0A: "AirPlay Source",
    0x0B: "Magic Switch", 0x0C: "Handoff", 0x0D: "Tethering Target", 0x0E: "Tethering Source", 0x0F: "Nearby Action",
    0x10: "Nearby Info", 0x12: "Find My",
  ]

  /// Type, length and value.
  public var bytes: [UInt8] { [type, UInt8(truncatingIfNeeded: value.count)] + value }

  /// `10 06 07 1E A3 DD 89 E0`.
  public var description: String { Hex.string(bytes, separator: " ") }
}

extension [AppleItem] {
  /// All items in one structure; nil where there are none.
  public var structure: ADStructure? {
    isEmpty ? nil : .manufacturerData(companyIdentifier: OverflowArea.companyIdentifier, data: flatMap(\.bytes))
  }
}
