import BleperaBluetooth
import BleperaHost

/// An advertising event of which a packet, or an exchange that follows it, is on the air. Times are in whole microseconds
/// since the air's origin.
struct AdvertisingTransmission: Sendable {
  enum Phase: Sendable {
    case advertisement
    /// The receivers of the advertisement send requests.
    case request([Responder])
    /// The sender answers a scanner.
    case response([Responder])
  }

  /// A receiver of the advertisement that sends a packet 150 us later.
  struct Responder: Sendable {
    let listener: AirListener
    /// The address with which the receiver tries to connect; nil for a scanner.
    let wanted: DeviceAddress?
    let rssi: Int

    var length: Int { wanted == nil ? AirTime.scanRequest : AirTime.connectIndication }
  }

  let advertisement: AdvertisementID
  /// The turn of the advertisement.
  let turn: Int
  let sender: AirAdapter
  /// The address that the packets have.
  let address: DeviceAddress
  let packets: AdvertisingPackets
  /// The number among `AdvertisingChannels`.
  let number: Int
  /// The length of each packet.
  let length: Int
  /// The channels on which a packet can be received, as bits.
  var channels: UInt8
  var channel = AdvertisingChannel.first
  /// The start of the packet on the present channel.
  var start: Int
  var phase = Phase.advertisement
  /// Whether a request has moved the packets.
  var isShifted = false

  var packet: AdvertisingChannels.Packet { .init(sender: sender.id, start: start, end: start + length) }
  /// The start and the length of the scan response.
  var response: AdvertisingChannels.Packet {
    let begin = start + length + 2 * AirTime.interframeSpace + AirTime.scanRequest
    return .init(sender: sender.id, start: begin, end: begin + AirTime.advertisement(packets.scanResponse.count))
  }

  func hasPacket(on channel: AdvertisingChannel) -> Bool { channels & 1 << UInt8(channel.rawValue) != 0 }
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
