import BleperaBluetooth
import BleperaHost

/// An advertising event of which a packet, or an exchange that follows it, is on the air. Times are in whole microseconds
/// since the air's origin.
struct AdvertisingTransmission: Sendable {
  enum Phase: Sendable {
    case advertisement
    /// The receivers of the advertisement send requests.
    case request
    /// The sender answers scanners.
    case response
  }

  /// A receiver of the advertisement that sends a packet 150 us later.
  struct Responder: Sendable {
    let id: AdapterID
    /// The index among the listeners, as long as they do not change.
    let index: Int
    /// The scan; one that starts again is another one.
    let scan: ListeningWindow?
    /// The address with which the receiver tries to connect; nil for a scanner.
    let wanted: DeviceAddress?
    let rssi: Int

    var length: Int { wanted == nil ? AirTime.scanRequest : AirTime.connectIndication }
  }

  let advertisement: AdvertisementID
  /// The turn of the advertisement.
  let turn: Int
  let sender: AdapterID
  /// The address that the packets have.
  let address: DeviceAddress
  /// The identity address, for those who know the sender by the key of that address; nil if that is `address`.
  let identity: DeviceAddress?
  let key: IdentityResolvingKey?
  let packets: AdvertisingPackets
  /// The number among `AdvertisingChannels`.
  let number: Int
  /// The length of each packet.
  let length: Int
  /// The channels on which a packet can be received, as bits.
  let channels: UInt8
  /// Whether a capture has all packets of the event.
  let isCaptured: Bool
  var channel = AdvertisingChannel.first
  /// The start of the packet on the present channel.
  var start: Int
  var phase = Phase.advertisement
  /// The receivers that send requests, and then those that receive the response.
  var responders: [Responder] = []
  /// Whether a request has moved the packets.
  var isShifted = false

  var packet: AdvertisingChannels.Packet { .init(sender: sender, start: start, end: start + length) }
  /// The start of requests.
  var requestStart: Int { start + length + AirTime.interframeSpace }
  /// The end of the longest request.
  var requestEnd: Int { requestStart + (responders.lazy.map(\.length).max() ?? 0) }
  var response: AdvertisingChannels.Packet {
    let begin = requestStart + AirTime.scanRequest + AirTime.interframeSpace
    return .init(sender: sender, start: begin, end: begin + AirTime.advertisement(packets.scanResponse.count))
  }

  func hasPacket(on channel: AdvertisingChannel) -> Bool { channels & 1 << UInt8(channel.index) != 0 }
}

/// The transmissions under way, in places that are used again.
struct AdvertisingTransmissions: Sendable {
  private var places: [AdvertisingTransmission?] = []
  private var free: [Int] = []

  /// Nil for a place that is free.
  subscript(place: Int) -> AdvertisingTransmission? {
    _read { yield places[place] }
    _modify { yield &places[place] }
  }

  mutating func add(_ transmission: AdvertisingTransmission) -> Int {
    guard let place = free.popLast() else {
      places.append(transmission)
      return places.count - 1
    }
    places[place] = transmission
    return place
  }

  mutating func remove(_ place: Int) {
    places[place] = nil
    free.append(place)
  }
}

/// The requests of an adapter.
struct Requests: Sendable {
  /// The end of the present exchange or of the last one, in microseconds since the air's origin.
  var end = 0
  var backoff = RequestBackoff()
}

extension AdvertisingPackets {
  /// The time on the air of a packet on an advertising channel, in microseconds.
  var airTime: Int {
    // ADV_EXT_IND has an extended header alone, with ADI and AuxPtr.
    isExtended ? 136 : AirTime.advertisement(min(data.count, 31))
  }
}
