import BlueZ
import Policy

/// What bluetoothd has been asked to advertise.
struct Air {
  /// By the advertisement's number, from 0.
  var contents: [AdvertisementContent] = []
  /// The numbers of those that bluetoothd has taken.
  var registered: Set<Int> = []
  /// Whether it was told that all of them are there.
  var isTold = false

  /// Whether plans wait for a change of several apps to be over.
  var isHeld = false
  /// The last plan that waits.
  var held: AdvertisementPlan?

  var isComplete: Bool { !contents.isEmpty && contents.indices.allSatisfy(registered.contains) }
}

extension AdvertisementContent {
  init(_ advertisement: BlueZAdvertisement) {
    self.init(
      localName: advertisement.localName, serviceUUIDs: advertisement.serviceUUIDs,
      manufacturerData: advertisement.manufacturerData.map {
        ManufacturerData(companyIdentifier: $0.companyIdentifier, data: $0.data)
      },
      interval: Interval(minimum: advertisement.interval.wholeMinimum, maximum: advertisement.interval.wholeMaximum))
  }
}
