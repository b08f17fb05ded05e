import GATT

/// An iPhone's packets beside BlueZ's.
extension AdvertisementPlan {
  package var differences: [AdvertisementDifference] {
    guard let phone, let interval else { return [] }
    var differences: [AdvertisementDifference] = [.flags(phone: .iPhone, bluez: BlueZAdvertisement.flags)]
    for structure in phone.advertisingData.structures {
      switch structure {
      case .txPowerLevel(let level): differences.append(.txPowerLevelMissing(Int(level)))
      case .serviceUUIDs(let list, let isComplete):
        if !isComplete { differences.append(.listCalledComplete(list.width)) }
        differences += list.uuids.filter { BlueZAdvertisement.onAir($0).width != $0.width }.map { .uuidShortened($0) }
      case .completeLocalName: differences.append(.localNameInScanResponse)
      case .shortenedLocalName: differences += [.localNameInScanResponse, .localNameCalledComplete]
      case .flags, .serviceSolicitation, .serviceData, .appearance, .manufacturerData, .other: break
      }
    }
    for structure in phone.scanResponse.structures {
      switch structure {
      case .shortenedLocalName: differences.append(.localNameCalledComplete)
      case .manufacturerData: differences.append(.overflowInAdvertisement)
      case .flags, .txPowerLevel, .serviceUUIDs, .completeLocalName, .serviceSolicitation, .serviceData, .appearance,
        .other:
        break
      }
    }
    if advertisements.count > 1 { differences.append(.secondAdvertisement) }
    if interval.controllerMinimum != interval.minimum || interval.controllerMaximum != interval.maximum {
      differences.append(.wholeMilliseconds(interval))
    }
    return differences
  }
}
