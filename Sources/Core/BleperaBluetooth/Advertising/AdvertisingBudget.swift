/// Computes what fits into an advertisement, including the headers of AD structures.
public enum AdvertisingBudget {
  /// The longest legacy advertisement, and the longest scan response, in bytes (Core Specification, Vol 6, Part B,
  /// 2.3.1).
  public static let legacyMaximum = 31
  /// The length of the Flags structure, in bytes.
  public static let flagsLength = 3

  /// The length of the UUID lists in bytes, with one header for each width that occurs.
  public static func length(of serviceUUIDs: [BluetoothUUID]) -> Int {
    let headers = Set(serviceUUIDs.map(\.width)).count * ADStructure.headerLength
    return serviceUUIDs.reduce(headers) { $0 + $1.width.rawValue }
  }

  /// Adds each UUID that still fits, in order; a UUID that does not fit leaves its room to shorter UUIDs. Both lists
  /// keep the order.
  public static func fit(
    serviceUUIDs: [BluetoothUUID], into budget: Int
  ) -> (fitting: [BluetoothUUID], overflowing: [BluetoothUUID]) {
    var fitting: [BluetoothUUID] = []
    var overflowing: [BluetoothUUID] = []
    var left = budget
    var widths: Set<BluetoothUUID.Width> = []
    for uuid in serviceUUIDs {
      let length = uuid.width.rawValue + (widths.contains(uuid.width) ? 0 : ADStructure.headerLength)
      if length <= left {
        fitting.append(uuid)
        widths.insert(uuid.width)
        left -= length
      } else {
        overflowing.append(uuid)
      }
    }
    return (fitting, overflowing)
  }

  /// The name whole, or shortened to the budget; nil where there is no name or no room for any of it.
  public static func fit(localName: String, into budget: Int) -> ADStructure? {
    let room = min(budget - ADStructure.headerLength, ADStructure.maximumPayloadLength)
    let name = LocalName.shortened(localName, to: room)
    guard !name.isEmpty else { return nil }
    return name.utf8.count == localName.utf8.count ? .completeLocalName(name) : .shortenedLocalName(name)
  }
}

/// Shortens a local name to the room in an advertisement.
public enum LocalName {
  /// The longest name of a device, in bytes of UTF-8 (Core Specification, Vol 3, Part C, 3.2.2).
  public static let maximumLength = 248

  /// A name as receivers read it: up to its first zero byte, as `name2utf8` of BlueZ's src/eir.c does (for an iPhone
  /// ours), and with U+FFFD for invalid UTF-8.
  package static func received(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The longest prefix of `name` in at most `bytes` bytes of UTF-8 that splits no grapheme cluster; where not even the
  /// first cluster fits, the longest prefix that splits no Unicode scalar.
  public static func shortened(_ name: String, to bytes: Int) -> String {
    guard name.utf8.count > bytes else { return name }
    let end = boundary(in: name, within: bytes, steps: name.indices)
    guard end == name.startIndex else { return String(name[..<end]) }
    return String(name[..<boundary(in: name, within: bytes, steps: name.unicodeScalars.indices)])
  }

  /// The last index of `steps` with at most `bytes` bytes before it; the start where `bytes` is negative.
  private static func boundary(in name: String, within bytes: Int, steps: some Sequence<String.Index>) -> String.Index {
    var boundary = name.startIndex
    var length = 0
    for step in steps {
      length += name.utf8.distance(from: boundary, to: step)
      guard length <= bytes else { break }
      boundary = step
    }
    return boundary
  }
}
