package import BleperaBluetooth

/// The packets that an iPhone would send.
package struct PhoneAdvertisement: Hashable, Sendable {
  /// The payload of ADV_IND, at most 31 bytes.
  package private(set) var advertisingData: AdvertisingData
  /// The payload of SCAN_RSP, at most 31 bytes.
  package let scanResponse: AdvertisingData
  /// Bytes that the apps' UUIDs and name take of `RuleSet.foregroundBudget`.
  package let budgetUsed: Int
  /// Bytes that the name takes of `nameBudget`.
  package let nameBudgetUsed: Int
  /// Bytes of the scan response that the name may take.
  package let nameBudget: Int

  func sending(_ data: AdvertisingData) -> PhoneAdvertisement {
    var copy = self
    copy.advertisingData = data
    return copy
  }
}

extension PhoneAdvertisement {
  private var structures: [ADStructure] { advertisingData.structures + scanResponse.structures }

  /// The local name on the air, whole or shortened; nil where no name is on the air.
  package var localName: String? {
    for structure in structures {
      switch structure {
      case .completeLocalName(let name), .shortenedLocalName(let name): return name
      default: continue
      }
    }
    return nil
  }

  /// The service UUIDs in the lists, in the order of the packet.
  package var serviceUUIDs: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      if case .serviceUUIDs(let list, _) = structure { list.uuids } else { [] }
    }
  }
}
