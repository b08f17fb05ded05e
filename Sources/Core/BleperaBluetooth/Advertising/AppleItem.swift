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

  /// Reads type, length and value; nil unless the value has exactly that length.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2, Int(bytes[1]) == bytes.count - 2 else { return nil }
    self.init(type: bytes[0], value: Array(bytes[2...]))
  }

  /// Nearby Info as Herald captured it from an iPhone X: status, flags, and a tag that differs from phone to phone and
  /// from address to address.
  public static let nearbyInfo = AppleItem(type: nearbyInfoType, value: [0x07, 0x1E, 0xA3, 0xDD, 0x89, 0xE0])

  /// Nearby Info as an iPhone 17 Pro Max with iOS 26.5.1 sends it while in use: status, flags, a tag of 4 bytes, and a
  /// byte more.
  package static let nearbyInfoInUse = AppleItem(
    type: nearbyInfoType, value: [0x7B, 0x1F, 0xF0, 0x82, 0x03, 0x00, 0x38])

  /// Handoff with made-up contents: version, sequence number, a byte of a tag, and 10 that are encrypted.
  package static let handoff = AppleItem(
    type: 0x0C, value: [0x08, 0x52, 0x00, 0x5C, 0x1E, 0x90, 0x47, 0xB3, 0x2A, 0xD8, 0x71, 0x0F, 0x66, 0xE9])

  /// Find My of a phone that is near its owner's other devices, with a made-up hint: status, and 2 bits of a key.
  package static let findMy = AppleItem(type: 0x12, value: [0x00, 0x02])

  private static let nearbyInfoType: UInt8 = 0x10
  /// The bytes of Nearby Info before its tag: status and flags.
  private static let tagStart = 2
  /// The flag of a tag of 4 bytes, which otherwise has 3.
  private static let longTag: UInt8 = 0x02

  /// Nearby Info with another tag and Handoff with other contents, which the number decides; other items as they are.
  package func withTag(_ number: UInt64) -> AppleItem {
    var value = value
    switch type {
    case Self.nearbyInfoType: Self.change(&value, in: Self.tag(of: value[...]), number)
    case Self.handoff.type: Self.change(&value, in: min(3, value.count)..<value.count, number)
    default: return self
    }
    return AppleItem(type: type, value: value)
  }

  /// Nearby Info with that status; other items as they are.
  package func withStatus(_ status: UInt8) -> AppleItem {
    guard type == Self.nearbyInfoType, !value.isEmpty else { return self }
    return AppleItem(type: type, value: [status] + value.dropFirst())
  }

  /// Nearby Info with a tag of 3 bytes, as beside Handoff, where 4 bytes do not fit; other items as they are.
  package var shortened: AppleItem {
    let tag = Self.tag(of: value[...])
    guard type == Self.nearbyInfoType, tag.count == 4 else { return self }
    var value = value
    value[1] &= ~Self.longTag
    value.remove(at: tag.upperBound - 1)
    return AppleItem(type: type, value: value)
  }

  private static func tag(of nearbyInfo: ArraySlice<UInt8>) -> Range<Int> {
    let start = nearbyInfo.startIndex + tagStart
    guard start <= nearbyInfo.endIndex else { return nearbyInfo.endIndex..<nearbyInfo.endIndex }
    let length = nearbyInfo[start - 1] & longTag == 0 ? 3 : 4
    return start..<min(start + length, nearbyInfo.endIndex)
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
      let structure = data[(start + 1)..<end]
      if structure.starts(with: company),
        let item = items(in: structure.dropFirst(company.count)).first(where: { $0.type == nearbyInfoType })
      {
        return tag(of: data[item.value])
      }
      start = end
    }
    return nil
  }

  /// The items in Apple's manufacturer data, without the overflow area, which has no length.
  package static func items(in data: ArraySlice<UInt8>) -> [(type: UInt8, value: Range<Int>)] {
    var (items, rest) = ([(type: UInt8, value: Range<Int>)](), data)
    while let type = rest.popFirst() {
      guard type != OverflowArea.itemType else {
        rest = rest.dropFirst(OverflowArea.maskLength)
        continue
      }
      guard let length = rest.popFirst(), Int(length) <= rest.count else { break }
      items.append((type, rest.startIndex..<rest.startIndex + Int(length)))
      rest = rest.dropFirst(Int(length))
    }
    return items
  }

  /// The name of an item type; nil where the type is not known.
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

/// An item that a phone advertises on its own account, without an app.
public enum PhoneItem: String, Hashable, CaseIterable, Sendable {
  /// Presence, lock and screen.
  case nearbyInfo = "nearby-info"
  /// The current activity of an unlocked phone's user, sent beside Nearby Info.
  case handoff
  /// Find My, sent in an advertising set and under an address of its own.
  case findMy = "find-my"
}
