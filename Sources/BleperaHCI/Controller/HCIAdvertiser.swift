import BleperaAir
import BleperaBluetooth

/// The advertising sets of a host; legacy commands use one that has no number of its own.
struct HCIAdvertiser: Sendable {
  var sets: [UInt8: HCIAdvertisingSet] = [:]

  /// How many sets there are room for.
  static let limit = 16
  /// What legacy commands use; no number of a set.
  static let legacyHandle: UInt8 = 0xFF

  var legacy: HCIAdvertisingSet? { sets[Self.legacyHandle] }
}

/// An advertising set.
struct HCIAdvertisingSet: Sendable {
  /// What it sends, in the terms of the extended commands (Core Specification, Vol 4, Part E, 7.8.53).
  struct Parameters: Hashable, Sendable {
    var isConnectable = true
    var isScannable = true
    var isExtended = false
    var interval = Duration.microseconds(1_280_000)
    var ownType: UInt8 = 0
    /// With which the resolving list has the own key for types 2 and 3.
    var peer: DeviceAddress?
  }

  var parameters = Parameters()
  var randomAddress: DeviceAddress?
  var data: [UInt8] = []
  var scanResponse: [UInt8] = []
  var isEnabled = false
  /// Why it ends by itself, after a time or a number of events; nil where it does not.
  var end: HCIError?

  var longestData: Int { parameters.isExtended ? HCIAdvertisingSet.longestExtended : HCIAdvertisingSet.longestLegacy }

  static let longestLegacy = 31
  /// What one packet of the air holds, without a chain.
  static let longestExtended = 229
}

extension HCIController {
  /// Puts a set on the air as it is now.
  mutating func advertise(
    _ handle: UInt8, lifetime: Duration? = nil, events: Int? = nil
  ) throws(HCIError) {
    guard let set = advertiser.sets[handle] else { throw .unknownAdvertisingSet }
    let parameters = set.parameters
    let isLegacyCommand = handle == HCIAdvertiser.legacyHandle
    let address = try ownAddress(
      parameters.ownType, isLegacyCommand ? randomAddress : set.randomAddress, towards: parameters.peer)
    if set.isEnabled { act(.withdraw(handle)) }
    advertiser.sets[handle]?.isEnabled = true
    advertiser.sets[handle]?.end = events != nil ? .limitReached : lifetime != nil ? .advertisingTimeout : nil
    act(
      .advertise(
        handle,
        AdvertisingPackets(
          data: parameters.isExtended && parameters.isScannable ? [] : set.data,
          scanResponse: parameters.isScannable ? set.scanResponse : [], isConnectable: parameters.isConnectable,
          isExtended: parameters.isExtended, interval: parameters.interval, address: .fixed(address)),
        lifetime: lifetime, events: events))
  }

  mutating func withdraw(_ handle: UInt8) {
    guard advertiser.sets[handle]?.isEnabled == true else { return }
    advertiser.sets[handle]?.isEnabled = false
    act(.withdraw(handle))
  }

  /// LE Advertising Set Terminated, without a connection (7.7.65.18).
  mutating func setEnded(_ handle: UInt8) {
    guard let set = advertiser.sets[handle], set.isEnabled else { return }
    advertiser.sets[handle]?.isEnabled = false
    guard handle != HCIAdvertiser.legacyHandle else { return }
    let reason = set.end ?? .advertisingTimeout
    send(subevent: 0x12, [reason.rawValue, handle] + LittleEndian.bytes(UInt16(0)) + [0])
  }
}
