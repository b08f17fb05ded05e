import BleperaBluetooth
import BleperaHost

/// The packets that devices receive, as records of a capture file that Wireshark dissects: pcap with the link type
/// `LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR`, times in microseconds.
///
/// Packets carry the time of their arrival. Retransmissions, acknowledgments and what is lost are not in the file.
package struct AirCapture: Sendable {
  /// The first bytes of every file: magic number, version 2.4, two unused numbers, the limit of a packet's length and
  /// the link type.
  package static let fileHeader: [UInt8] =
    LittleEndian.bytes(0xA1B2_C3D4 as UInt32) + LittleEndian.bytes(2 as UInt16) + LittleEndian.bytes(4 as UInt16)
    + LittleEndian.bytes(0 as UInt64) + LittleEndian.bytes(0xFFFF as UInt32) + LittleEndian.bytes(256 as UInt32)

  /// The flags of a record: dewhitened, reference access address, CRC checked and valid.
  private static let flags: UInt16 = 0x0001 | 0x0010 | 0x0400 | 0x0800
  private static let signalFlag: UInt16 = 0x0002
  /// Decrypted, integrity checked and valid.
  private static let decryptedFlags: UInt16 = 0x0008 | 0x1000 | 0x2000

  /// The LLID of a data channel PDU (Vol 6, Part B, 2.4).
  private enum PayloadKind: UInt8 {
    case continuation = 0b01
    case start = 0b10
    case control = 0b11
  }

  private struct Link {
    let address: LinkAddress
    /// The number of data PDUs of each side, of which the last bit is the next sequence number.
    var sent: (up: Int, down: Int) = (0, 0)
    /// Whether the packets are encrypted on the air, from the first LL_START_ENC_RSP on.
    var isEncrypted = false
  }

  /// The time of day at the air's origin, since 1970 in UTC.
  private let origin: Duration
  private var links: [ConnectionID: Link] = [:]
  /// Whole records.
  private var records: [UInt8] = []

  init(origin: Duration) { self.origin = origin }

  /// Returns the records since the last call.
  mutating func take() -> [UInt8] {
    guard !records.isEmpty else { return [] }
    defer { records = [] }
    return records
  }

  /// Adds a record for each packet.
  mutating func add(_ packets: [LinkLayerPacket], at now: Duration) {
    for packet in packets { add(packet, at: now) }
  }

  private mutating func add(_ packet: LinkLayerPacket, at now: Duration) {
    let (seconds, attoseconds) = (origin + now).components
    let bytes = packet.bytes
    let length = UInt32(clamping: 10 + bytes.count)
    records += LittleEndian.bytes(UInt32(truncatingIfNeeded: seconds))
    records += LittleEndian.bytes(UInt32(clamping: attoseconds / 1_000_000_000_000))
    records += LittleEndian.bytes(length) + LittleEndian.bytes(length)
    let signal = UInt8(bitPattern: Int8(clamping: packet.signal ?? 0))
    records += [packet.radioChannel, signal, 0, 0]
    records += LittleEndian.bytes(packet.accessAddress)
    records += LittleEndian.bytes(
      Self.flags | (packet.signal == nil ? 0 : Self.signalFlag) | packet.kind.number << 7
        | (packet.isDecrypted ? Self.decryptedFlags : 0))
    records += bytes
  }

  // MARK: Connections

  /// - Parameter channel: the channel of CONNECT_IND.
  mutating func connected(_ connection: AirConnection, on channel: AdvertisingChannel, at now: Duration) {
    let address = LinkAddress(of: connection.id.number)
    links[connection.id] = Link(address: address)
    add(AdvertisingPDU.connect(connection, on: channel, link: address), at: now)
  }

  mutating func disconnected(_ id: ConnectionID) { links[id] = nil }

  mutating func received(_ packet: LinkPacket, over id: ConnectionID, at now: Duration) {
    let isUpward = packet.isUpward
    switch packet.content {
    case .data(let data):
      send(data.bytes, as: data.isStart ? .start : .continuation, isUpward: isUpward, over: id, at: now)
    case .control(let control):
      switch control {
      case .encryption(.startResponse): links[id]?.isEncrypted = true
      // The peripheral's is encrypted, the central's is not.
      case .encryption(.pauseResponse) where isUpward: links[id]?.isEncrypted = false
      default: break
      }
      send(control.bytes, as: .control, isUpward: isUpward, over: id, at: now)
    }
  }

  private mutating func send(
    _ payload: some Collection<UInt8>, as kind: PayloadKind, isUpward: Bool, over id: ConnectionID, at now: Duration
  ) {
    guard let link = links[id] else { return }
    // The number of the PDU, and of the one that is expected next from the other side.
    let (own, next) = isUpward ? (link.sent.up, link.sent.down) : (link.sent.down, link.sent.up)
    let header = kind.rawValue | UInt8(next & 1) << 2 | UInt8(own & 1) << 3
    let pdu = [header, UInt8(clamping: payload.count)] + payload
    var packet = LinkLayerPacket(isUpward ? .fromCentral : .fromPeripheral, to: link.address, pdu)
    packet.isDecrypted = link.isEncrypted
    add(packet, at: now)
    if isUpward { links[id]?.sent.up += 1 } else { links[id]?.sent.down += 1 }
  }
}
