import BleperaHost
import BleperaRadio

/// The advertisement of a radio and its beacon, with their numbers at the adapter.
struct AdvertisingState {
  /// The packets that the phone also sends while the radio is on, as Find My; nil for none.
  let beacon: AdvertisingPackets?
  var beaconID: AdvertisementID?
  private(set) var advertisement: RadioAdvertisement?
  /// The number of the last change.
  private var turn = 0
  private var id: AdvertisementID?
  /// Whether to report `advertising`; false if only a connection has stopped the advertisement.
  private var isReportDue = false

  init(beacon: AdvertisingPackets?) { self.beacon = beacon }

  var isOnAir: Bool { id != nil }

  /// - Returns: false if nothing was advertised and nothing is to be.
  mutating func set(_ advertisement: RadioAdvertisement?) -> Bool {
    defer { self.advertisement = advertisement }
    return advertisement != nil || self.advertisement != nil
  }

  /// - Returns: the number of the change, which has no effect once another one has begun.
  mutating func beginChange(isReported: Bool) -> Int {
    turn += 1
    if isReported { isReportDue = true }
    return turn
  }

  func isLatest(_ change: Int) -> Bool { change == turn }

  mutating func start(_ id: AdvertisementID) { self.id = id }

  /// - Returns: the number of the advertisement that is to be taken off the air; nil if none is on the air.
  mutating func end() -> AdvertisementID? {
    defer { id = nil }
    return id
  }

  /// - Returns: whether to report that the advertisement is on the air.
  mutating func began(_ id: AdvertisementID) -> Bool {
    guard id == self.id, isReportDue else { return false }
    isReportDue = false
    return true
  }

  /// - Returns: false for an advertisement that was replaced.
  mutating func failed(_ id: AdvertisementID) -> Bool { id == self.id && end() != nil }
}
