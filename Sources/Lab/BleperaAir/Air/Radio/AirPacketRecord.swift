/// A packet on an advertising channel, with the receivers and the channels on which scanners were then.
package struct AirPacketRecord: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case advertisement
    case scanRequest
    case scanResponse
    case connectIndication
  }

  package let kind: Kind
  package let sender: AdapterID
  package let channel: AdvertisingChannel
  /// In whole microseconds since the air's origin.
  package let start: Int
  package let end: Int
  /// Whether a packet of another sender overlapped.
  package let isHit: Bool
  /// The channel of each scanner at the start of the packet, also between its windows.
  package let scanners: [AdapterID: AdvertisingChannel]
  package internal(set) var receivers: [AdapterID] = []
}

/// The record of the advertising channels, if there is one.
extension VirtualAir {
  /// Records from now on each packet on an advertising channel.
  package mutating func startRecord() { records = [] }

  /// Returns the packets since the last call, in the order of their ends.
  package mutating func takeRecord() -> [AirPacketRecord] {
    defer { if records != nil { records = [] } }
    return records ?? []
  }

  mutating func record(
    _ packet: AdvertisingChannels.Packet, _ kind: AirPacketRecord.Kind, on channel: AdvertisingChannel, isHit: Bool
  ) {
    guard records != nil else { return }
    var scanners: [AdapterID: AdvertisingChannel] = [:]
    for listener in listeners() { scanners[listener.id] = listener.scan?.channel(at: packet.start) }
    records?.append(
      AirPacketRecord(
        kind: kind, sender: packet.sender, channel: channel, start: packet.start, end: packet.end, isHit: isHit,
        scanners: scanners))
  }

  /// Adds a receiver of the last packet.
  mutating func recordReceiver(_ id: AdapterID) {
    guard let last = records?.indices.last else { return }
    records?[last].receivers.append(id)
  }
}
