/// The content of one advertising or scan response packet (Core Specification, Vol 3, Part C, 11).
public struct AdvertisingData: Hashable, Sendable {
  /// The AD structures in the order of the packet.
  public var structures: [ADStructure]

  /// Creates a packet with these AD structures.
  public init(_ structures: [ADStructure] = []) { self.structures = structures }

  /// Decodes a packet up to its end or to a length of zero, which ends the packet early; throws for a truncated
  /// structure.
  public init(decoding bytes: [UInt8]) throws(AdvertisingDataError) {
    let (structures, error) = Self.parse(bytes)
    if let error { throw error }
    self.structures = structures
  }

  /// Decodes as receivers do: all structures before the first truncated one.
  public init(leniently bytes: [UInt8]) { structures = Self.parse(bytes).structures }

  /// The packet as it is sent.
  public var bytes: [UInt8] { structures.flatMap(\.bytes) }

  /// In bytes, including headers.
  public var length: Int { structures.reduce(0) { $0 + $1.length } }

  private static func parse(_ bytes: [UInt8]) -> (structures: [ADStructure], error: AdvertisingDataError?) {
    var structures: [ADStructure] = []
    var offset = 0
    while offset < bytes.count, bytes[offset] != 0 {
      let needed = Int(bytes[offset])
      let available = bytes.count - offset - 1
      guard needed <= available else {
        return (structures, AdvertisingDataError(offset: offset, needed: needed, available: available))
      }
      let payload = bytes[(offset + 2)..<(offset + 1 + needed)]
      structures.append(ADStructure(type: bytes[offset + 1], payload: Array(payload)))
      offset += 1 + needed
    }
    return (structures, nil)
  }
}

/// The length of the last AD structure exceeds the rest of the packet.
public struct AdvertisingDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where the structure begins, in bytes from the start of the packet.
  public let offset: Int
  /// The number of bytes after the length byte that the structure declares.
  public let needed: Int
  /// The number of bytes after the length byte that the packet has.
  public let available: Int

  public var description: String {
    "The AD structure at byte \(offset) has a length of \(needed) bytes, but only \(available) follow."
  }
}

/// The content that a central reads from the packets of a device.
package struct AdvertisedContent: Hashable, Sendable {
  /// Whole or shortened; never the alias that bluetoothd derives from the address.
  package var name: String?
  package var serviceUUIDs: [BluetoothUUID] = []
  package var solicitedServiceUUIDs: [BluetoothUUID] = []
  /// The last data of each company, by company identifier.
  package var manufacturerData: [UInt16: [UInt8]] = [:]
  package var serviceData: [BluetoothUUID: [UInt8]] = [:]
  package var appearance: UInt16?
  /// In dBm.
  package var txPower: Int?
  package var flags: ADFlags?

  package init(_ structures: [ADStructure] = []) {
    for structure in structures {
      switch structure {
      case .serviceUUIDs(let list, _): serviceUUIDs += list.uuids
      case .completeLocalName(let text), .shortenedLocalName(let text): name = LocalName.received(text.utf8)
      case .manufacturerData(let company, let data): manufacturerData[company] = data
      case .serviceData(let uuid, let data): serviceData[uuid] = data
      case .txPowerLevel(let level): txPower = Int(level)
      case .appearance(let value): appearance = value
      case .flags(let value): flags = value
      case .serviceSolicitation(let list): solicitedServiceUUIDs += list.uuids
      case .other: break
      }
    }
  }

  /// Whether only items of Apple's were received that a phone sends without an app, such as Nearby Info.
  package var isPhoneWithoutApp: Bool {
    guard name == nil, serviceUUIDs.isEmpty, let data = manufacturerData[OverflowArea.companyIdentifier] else {
      return false
    }
    return data.first != OverflowArea.itemType
  }
}
