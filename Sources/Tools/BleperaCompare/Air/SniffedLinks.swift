import BleperaBluetooth

/// A phone's links on the air until they are encrypted, as events and data of HCI.
struct SniffedLinks: Sendable {
  private struct Link {
    let handle: [UInt8]
    /// Whether the phone is the central.
    let isOfCentral: Bool
  }

  private(set) var log = LoggedLinks()
  /// By access address.
  private var links: [UInt32: Link] = [:]
  private var last: UInt16 = 0

  /// - Parameter bytes: a CONNECT_IND (Core Specification, Vol 6, Part B, 2.3.3.1).
  mutating func connect(_ bytes: ArraySlice<UInt8>, isOfCentral: Bool, at time: Int64) {
    guard bytes.count >= 30, let low = bytes.number(at: 14), let high = bytes.number(at: 16) else { return }
    last = (last + 1) % 0xF00
    let link = Link(handle: LittleEndian.bytes(last), isOfCentral: isOfCentral)
    links[UInt32(high) << 16 | UInt32(low)] = link
    // Connection Complete, with the phone's role, and the interval and what follows behind the peer's address.
    let peer: [UInt8] = [isOfCentral ? 0 : 1] + [UInt8](repeating: 0, count: 7)
    let event = [0x3E, 19, 1, 0] + link.handle + peer + bytes.from(24).prefix(6)
    log.event(event[...], at: time)
  }

  mutating func add(_ packet: AirPacket, at time: Int64) {
    guard !packet.isEncrypted, let link = links[packet.accessAddress], let isFromCentral = packet.isFromCentral else {
      return
    }
    let payload = packet.pdu.dropFirst(2)
    switch (packet.pdu[0] & 3, payload.first) {
    // LL_TERMINATE_IND and LL_START_ENC_REQ: what follows is not readable, or of another link.
    case (3, 0x02), (3, 0x05):
      log.event(([0x05, 4, 0] + link.handle)[...], at: time)
      links[packet.accessAddress] = nil
    case (1, _), (2, _):
      let start: UInt8 = packet.pdu[0] & 3 == 2 ? 0x20 : 0x10
      let data = [link.handle[0], link.handle[1] | start, UInt8(clamping: payload.count), 0] + payload
      log.data(data[...], isReceived: isFromCentral != link.isOfCentral, at: time)
    case (_, _): break
    }
  }
}
