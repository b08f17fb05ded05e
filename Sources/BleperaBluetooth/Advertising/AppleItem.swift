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

  /// Nearby Info as Herald captured it from an iPhone X: status, flags, and a tag that differs from phone to phone and
  /// from address to address.
  public static let nearbyInfo = AppleItem(type: nearbyInfoType, value: [0x07, 0x1E, 0xA3, 0xDD, 0x89, 0xE0])

  private static let nearbyInfoType: UInt8 = 0x10
  /// The bytes of Nearby Info before its tag.
  private static let tagStart = 2

  /// Nearby Info with another tag, which the number decides; other items as they are.
  package func withTag(_ number: UInt64) -> AppleItem {
    guard type == Self.nearbyInfoType else { return self }
    var value = value
    Self.change(&value, in: min(Self.tagStart, value.count)..<value.count, number)
    return AppleItem(type: type, value: value)
  }

  /// Changes a tag of Nearby Info; zero leaves it as it is.
  package static func change(_ bytes: inout [UInt8], in tag: Range<Int>, _ number: UInt64) {
    for (place, index) in tag.enumerated() {
      bytes[index] ^= UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))
    }
  }

  /// The place of Nearby Info's tag in advertising data; nil where there is none.
  package static func nearbyInfoTag(in data: [UInt8]) -> Range<Int>? {
    let company = [0xFF, UInt8(truncatingIfNeeded: OverflowArea.companyIdentifier), 0]
    var start = 0
    while start < data.count, data[start] > 0 {
      let end = start + 1 + Int(data[start])
      guard end <= data.count else { return nil }
      var item = start + 1 + company.count
      if data[(start + 1)..<end].starts(with: company) {
        while item + 1 < end, data[item] != OverflowArea.itemType {
          let next = item + 2 + Int(data[item + 1])
          guard next <= end else { break }
          if data[item] == nearbyInfoType { return min(item + 2 + tagStart, next)..<next }
          item = next
        }
      }
      start = end
    }
    return nil
  }

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
