package import BleperaBluetooth
package import BleperaRules

/// A kind of central that scans.
package enum CentralKind: String, CaseIterable, Encodable {
  /// `scanForPeripherals` with the UUIDs that the apps advertise.
  case iosWithServices
  /// `scanForPeripherals` without UUIDs.
  case ios
  /// Android up to version 15.
  case android
  /// Android from version 16 on, and version 15 with a flag.
  case android16
  case bluez

  /// Whether apps receive the service UUIDs of the overflow area; iOS reports only those that an app scans for.
  package var readsOverflowArea: Bool { self == .iosWithServices }
  package var showsManufacturerData: Bool { self != .ios && self != .iosWithServices }
}

/// The content of packets as an active scan reports it.
package struct CentralView: Equatable, Sendable {
  package let kind: CentralKind
  package let name: String?
  package let serviceUUIDs: [BluetoothUUID]
  /// `CBAdvertisementDataOverflowServiceUUIDsKey`: requested UUIDs whose bit is set. Nil for centrals that do not read
  /// the overflow area.
  package let overflowServiceUUIDs: [BluetoothUUID]?
  /// The manufacturer data; nil if the API does not report it.
  package let manufacturerData: [ManufacturerData]?

  package struct ManufacturerData: Encodable, Equatable, Sendable {
    /// The company identifier, four hexadecimal digits.
    package let company: String
    package let data: String
  }

  package init(_ kind: CentralKind, _ packets: [AdvertisingData], requested: [BluetoothUUID]) {
    self.kind = kind
    let structures = packets.flatMap(\.structures)
    let content = AdvertisedContent(structures)
    let area = OverflowArea(in: structures) ?? OverflowArea()
    name = content.name
    serviceUUIDs = content.serviceUUIDs
    overflowServiceUUIDs =
      kind.readsOverflowArea ? requested.filter { area.contains($0) && !content.serviceUUIDs.contains($0) } : nil
    // Android up to 15 and bluetoothd keep the last data of a company, which is in the scan response.
    let data = kind == .android16 ? Self.joined(structures) : content.manufacturerData
    manufacturerData = kind.showsManufacturerData ? ManufacturerData.list(data) : nil
  }

  /// The data of each company, concatenated from all structures (`ScanRecord.parseFromBytes`).
  private static func joined(_ structures: [ADStructure]) -> [UInt16: [UInt8]] {
    structures.reduce(into: [:]) { joined, structure in
      if case .manufacturerData(let company, let data) = structure { joined[company, default: []] += data }
    }
  }

  /// A view for each kind of central, in their order.
  package static func all(of packets: [AdvertisingData], requested: [BluetoothUUID]) -> [CentralView] {
    CentralKind.allCases.filter { $0 != .iosWithServices || !requested.isEmpty }
      .map { CentralView($0, packets, requested: requested) }
  }
}

extension CentralView: Encodable {
  private enum CodingKeys: CodingKey {
    case central, name, serviceUUIDs, overflowServiceUUIDs, manufacturerData
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(kind, forKey: .central)
    try container.encodeIfPresent(name, forKey: .name)
    try container.encode(serviceUUIDs.map { "\($0)" }, forKey: .serviceUUIDs)
    try container.encodeIfPresent(overflowServiceUUIDs?.map { "\($0)" }, forKey: .overflowServiceUUIDs)
    try container.encodeIfPresent(manufacturerData, forKey: .manufacturerData)
  }
}

/// Whether and how an app on an iPhone discovers an advertisement.
package struct IOSView: Equatable, Sendable {
  package let outcome: ScanReception

  /// Whether the app discovers the peripheral now or has discovered it before.
  package var isDiscovered: Bool {
    switch outcome {
    case .discovered, .ignored(.reported): true
    case .ignored: false
    }
  }
}

extension IOSView: Encodable {
  private enum CodingKeys: CodingKey {
    case central, discovered, reason, name, serviceUUIDs, overflowServiceUUIDs, manufacturerData
  }

  private struct Match: Encodable {
    let uuid: String
    let bit: Int
    /// A bit does not identify a UUID.
    let ambiguous = true
    /// The other requested UUIDs that have the same bit; nil if none.
    let sharedWith: [String]?
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("ios", forKey: .central)
    try container.encode(isDiscovered, forKey: .discovered)
    switch outcome {
    case .ignored(let reason): try container.encode(reason.rawValue, forKey: .reason)
    case .discovered(let discovery):
      try container.encodeIfPresent(discovery.localName, forKey: .name)
      try container.encode(discovery.serviceUUIDs.map { "\($0)" }, forKey: .serviceUUIDs)
      let matches = discovery.overflowServiceUUIDs.map { match in
        Match(
          uuid: "\(match.uuid)", bit: match.bit, sharedWith: match.rivals.isEmpty ? nil : match.rivals.map { "\($0)" })
      }
      try container.encode(matches, forKey: .overflowServiceUUIDs)
      try container.encode(
        CentralView.ManufacturerData.list(discovery.manufacturerData), forKey: .manufacturerData)
    }
  }
}

extension CentralView.ManufacturerData {
  init(_ company: UInt16, _ data: [UInt8]) {
    self.init(company: Hex.string([UInt8(company >> 8), UInt8(company & 0xFF)]), data: Hex.string(data))
  }

  /// The data as a list, in the order of the companies.
  package static func list(_ data: [UInt16: [UInt8]]) -> [Self] {
    data.sorted { $0.key < $1.key }.map { Self($0.key, $0.value) }
  }
}
