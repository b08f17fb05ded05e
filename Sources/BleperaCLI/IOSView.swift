import GATT
import Policy

/// What an app on an iPhone makes of what is on the air.
struct IOSView: Equatable {
  let outcome: IOSCentral.Reception

  /// Whether it finds the peripheral now or has found it before.
  var isFound: Bool {
    switch outcome {
    case .discovered, .passedOver(.reported): true
    case .passedOver: false
    }
  }
}

extension IOSView: Encodable {
  private enum CodingKeys: CodingKey {
    case central, found, reason, name, serviceUUIDs, overflowServiceUUIDs, manufacturerData
  }

  private struct Match: Encodable {
    let uuid: String
    let bit: Int
    /// A bit is never more than a hint.
    let ambiguous = true
    /// Those asked for that have the same bit; nil where there is none.
    let rivals: [String]?
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode("ios", forKey: .central)
    try container.encode(isFound, forKey: .found)
    switch outcome {
    case .passedOver(let reason): try container.encode(reason.rawValue, forKey: .reason)
    case .discovered(let discovery):
      try container.encodeIfPresent(discovery.localName, forKey: .name)
      try container.encode(discovery.serviceUUIDs.map { "\($0)" }, forKey: .serviceUUIDs)
      let matches = discovery.overflowServiceUUIDs.map { match in
        Match(
          uuid: "\(match.uuid)", bit: match.bit, rivals: match.rivals.isEmpty ? nil : match.rivals.map { "\($0)" })
      }
      try container.encode(matches, forKey: .overflowServiceUUIDs)
      try container.encode(
        CentralView.ManufacturerData.list(discovery.manufacturerData), forKey: .manufacturerData)
    }
  }
}

extension CentralView.ManufacturerData {
  /// In the order of the companies.
  static func list(_ data: [UInt16: [UInt8]]) -> [Self] {
    data.sorted { $0.key < $1.key }.map { company, bytes in
      Self(company: Hex.string([UInt8(company >> 8), UInt8(company & 0xFF)]), data: Hex.string(bytes))
    }
  }
}
