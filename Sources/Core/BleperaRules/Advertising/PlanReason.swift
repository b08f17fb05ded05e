package import BleperaBluetooth

/// Why a requested field is not advertised as requested.
package struct PlanReason: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case movedToOverflow(bit: Int)
    case movedToScanResponse
    case shortened(to: String)
    case dropped
    /// Advertised once, for the app that requested the field first.
    case merged
    /// Requested in the background, and not advertised until the app's next foreground.
    case withheld
  }

  package let app: AppID
  package let field: AdvertisedField
  package let outcome: Outcome
  package let rule: RuleID
}

extension PlanReason: CustomStringConvertible {
  /// `180D: in the overflow area, bit 61 (R2)`.
  package var description: String { "\(field): \(outcome) (\(rule))" }
}

extension PlanReason.Outcome: CustomStringConvertible {
  package var description: String {
    switch self {
    case .movedToOverflow(let bit): "in the overflow area, bit \(bit)"
    case .movedToScanResponse: "in the scan response"
    case .shortened(let text): "shortened to \"\(text)\""
    case .dropped: "not advertised"
    case .merged: "advertised once"
    case .withheld: "not before the next foreground"
    }
  }
}

/// A field that an app requests to advertise.
package enum AdvertisedField: Hashable, Sendable, CustomStringConvertible {
  case localName(String)
  case serviceUUID(BluetoothUUID)

  package var description: String {
    switch self {
    case .localName(let name): "\"\(name)\""
    case .serviceUUID(let uuid): "\(uuid)"
    }
  }
}

extension AdvertisementData {
  /// The fields one by one, without repeated UUIDs and without an empty name.
  var all: [AdvertisedField] {
    uniqueServiceUUIDs.map { .serviceUUID($0) } + (effectiveName.map { [.localName($0)] } ?? [])
  }

  /// The UUIDs without repeated ones.
  var uniqueServiceUUIDs: [BluetoothUUID] {
    guard serviceUUIDs.count > 1 else { return serviceUUIDs }
    var seen: Set<BluetoothUUID> = []
    return serviceUUIDs.filter { seen.insert($0).inserted }
  }

  /// The data without an empty name.
  var normalized: AdvertisementData { AdvertisementData(localName: effectiveName, serviceUUIDs: serviceUUIDs) }

  /// The local name; nil where it is missing or empty.
  var effectiveName: String? { localName.flatMap { $0.isEmpty ? nil : $0 } }
}
