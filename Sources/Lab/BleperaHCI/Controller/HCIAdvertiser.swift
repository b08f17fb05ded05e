import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// The advertising sets of a host; legacy commands use one that has no number of its own.
struct HCIAdvertiser: Sendable {
  var sets: [UInt8: HCIAdvertisingSet] = [:]

  /// How many sets there are room for.
  static let limit = 16
  /// The key of the set that legacy commands use; no set of the extended commands has this number.
  static let legacyHandle: UInt8 = 0xFF

  var legacy: HCIAdvertisingSet? { sets[Self.legacyHandle] }
}

/// An advertising set.
struct HCIAdvertisingSet: Sendable {
  /// The form of a set's packets, in the terms of the extended commands (Core Specification, Vol 4, Part E, 7.8.53).
  struct Parameters: Hashable, Sendable {
    var isConnectable = true
    var isScannable = true
    var isExtended = false
    var interval = Duration.microseconds(1_280_000)
    var ownType: UInt8 = 0
    /// The peer whose entry in the resolving list has the own key for types 2 and 3.
    var peer: DeviceAddress?
  }

  var parameters = Parameters()
  var randomAddress: DeviceAddress?
  var data: [UInt8] = []
  var scanResponse: [UInt8] = []
  var isEnabled = false
  /// The number of events after which the set ends; nil for no limit.
  var limit: Int?

  /// Whether packets of the set's kind can have its data: scannable extended packets have none (7.8.53 and 7.8.54).
  var hasValidData: Bool {
    let longest = parameters.isExtended ? Self.longestExtended : HCILegacyData.longest
    return data.count <= longest && scanResponse.count <= longest
      && (data.isEmpty || !parameters.isExtended || !parameters.isScannable)
  }

  /// The length of the data that one packet of the air holds, without a chain.
  static let longestExtended = 229
}

extension HCIController {
  /// Puts a set on the air, from its first event on.
  mutating func advertise(
    _ handle: UInt8, lifetime: Duration? = nil, events: Int? = nil
  ) throws(HCIError) {
    let packets = try packets(of: handle)
    withdraw(handle)
    advertiser.sets[handle]?.isEnabled = true
    advertiser.sets[handle]?.limit = events
    act(.advertise(handle, packets, lifetime: lifetime, events: events))
  }

  /// Sends a set that is on the air as it is now, from the next event of its schedule on.
  mutating func refresh(_ handle: UInt8) throws(HCIError) {
    guard advertiser.sets[handle]?.isEnabled == true else { return }
    act(.replacePackets(handle, try packets(of: handle)))
  }

  private mutating func packets(of handle: UInt8) throws(HCIError) -> AdvertisingPackets {
    guard let set = advertiser.sets[handle] else { throw .unknownAdvertisingSet }
    let parameters = set.parameters
    let isLegacyCommand = handle == HCIAdvertiser.legacyHandle
    let address = try ownAddress(
      parameters.ownType, isLegacyCommand ? randomAddress : set.randomAddress, towards: parameters.peer)
    return AdvertisingPackets(
      data: set.data, scanResponse: parameters.isScannable ? set.scanResponse : [],
      isConnectable: parameters.isConnectable, isExtended: parameters.isExtended, interval: parameters.interval,
      address: .fixed(address))
  }

  mutating func withdraw(_ handle: UInt8) {
    guard advertiser.sets[handle]?.isEnabled == true else { return }
    advertiser.sets[handle]?.isEnabled = false
    act(.withdraw(handle))
  }

  /// LE Advertising Set Terminated, without a connection (7.7.65.18).
  mutating func setEnded(_ handle: UInt8, after events: Int) {
    guard let set = advertiser.sets[handle], set.isEnabled else { return }
    advertiser.sets[handle]?.isEnabled = false
    let reason: HCIError = set.limit == events ? .limitReached : .advertisingTimeout
    send(HCISetTerminated(handle, status: reason.rawValue, events: UInt8(clamping: events)))
  }
}
