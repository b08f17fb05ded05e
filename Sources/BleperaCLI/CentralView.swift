import GATT

/// What an active scan makes of the packets.
struct CentralView: Equatable {
  let kind: CentralKind
  let name: String?
  let serviceUUIDs: [BluetoothUUID]
  /// `CBAdvertisementDataOverflowServiceUUIDsKey`: UUIDs that were asked for and whose bit is set. Nil for those who do
  /// not read the overflow area.
  let overflowServiceUUIDs: [BluetoothUUID]?
  /// Nil for those whose API we know nothing of.
  let manufacturerData: [ManufacturerData]?

  struct ManufacturerData: Encodable, Equatable {
    /// Four hexadecimal digits.
    let company: String
    let data: String
  }

  init(_ kind: CentralKind, _ packets: [AdvertisingData], asked: [BluetoothUUID]) {
    self.kind = kind
    var name: String?
    var listed: [BluetoothUUID] = []
    var area = OverflowArea()
    var manufacturerData: [ManufacturerData] = []
    for structure in packets.flatMap(\.structures) {
      switch structure {
      case .serviceUUIDs(let list, _): listed += list.uuids
      case .completeLocalName(let text), .shortenedLocalName(let text): name = text
      case .manufacturerData(let company, let data):
        let digits = Hex.string([UInt8(company >> 8), UInt8(company & 0xFF)])
        manufacturerData.append(ManufacturerData(company: digits, data: Hex.string(data)))
        if let overflow = try? OverflowArea(decoding: structure.bytes) { area.formUnion(overflow) }
      case .flags, .txPowerLevel, .serviceSolicitation, .serviceData, .appearance, .other: break
      }
    }
    self.name = name
    serviceUUIDs = listed
    overflowServiceUUIDs =
      kind.readsOverflowArea ? asked.filter { area.contains($0) && !listed.contains($0) } : nil
    self.manufacturerData = kind.showsManufacturerData ? manufacturerData : nil
  }

  /// One for each kind, in their order; nobody asks where there is nothing to ask for.
  static func all(of packets: [AdvertisingData], asked: [BluetoothUUID]) -> [CentralView] {
    CentralKind.allCases.filter { $0 != .iosAsking || !asked.isEmpty }
      .map { CentralView($0, packets, asked: asked) }
  }
}

extension CentralView: Encodable {
  private enum CodingKeys: CodingKey {
    case central, name, serviceUUIDs, overflowServiceUUIDs, manufacturerData
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .central)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encode(serviceUUIDs.map { "\($0)" }, forKey: .serviceUUIDs)
    try container.encodeIfPresent(overflowServiceUUIDs?.map { "\($0)" }, forKey: .overflowServiceUUIDs)
    try container.encodeIfPresent(manufacturerData, forKey: .manufacturerData)
  }
}
