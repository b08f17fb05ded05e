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

  /// Adds each UUID that still fits, in order; one that does not fit leaves its room to shorter ones. Both lists keep
  /// the order.
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
