import BleperaBluetooth
import BleperaHCIProtocol

/// A phone's links on the air until they are encrypted, converted to HCI events and data.
struct SniffedLinks: Sendable {
  private struct Link {
    let handle: UInt16
    /// Whether the phone is the central.
    let isOfCentral: Bool
  }

  /// The offsets of a CONNECT_IND's fields, with the header of two bytes (Core Specification, Vol 6, Part B, 2.3.3.1).
  private enum Offset {
    static let accessAddress = 14
    /// The interval, latency and timeout, which HCI's event has in the same units.
    static let parameters = 24..<30
  }

  /// The LLID of a data packet, which gives the kind of its payload (Core Specification, Vol 6, Part B, 2.4).
  private enum PayloadKind: UInt8 {
    case continuation = 1
    case start = 2
    case control = 3
  }

  /// The opcodes of LL_TERMINATE_IND and LL_START_ENC_REQ.
  private static let terminate: UInt8 = 0x02
  private static let startEncryption: UInt8 = 0x05

  private(set) var log = LoggedLinks()
  /// The links by their access addresses.
  private var links: [UInt32: Link] = [:]
  private var last: UInt16 = 0

  /// - Parameter bytes: a CONNECT_IND.
  mutating func connect(_ bytes: ArraySlice<UInt8>, isOfCentral: Bool, at time: Int64) {
    guard bytes.count >= Offset.parameters.upperBound else { return }
    let address: UInt32 = LittleEndian.number(bytes.from(Offset.accessAddress).prefix(4))
    last = (last + 1) % 0xF00
    links[address] = Link(handle: last, isOfCentral: isOfCentral)
    var (event, parameters) = (HCIConnectionComplete(), PDUReader(bytes.from(Offset.parameters.lowerBound)))
    (event.handle, event.isCentral) = (last, isOfCentral)
    (event.interval, event.latency, event.timeout) = (parameters.uint16(), parameters.uint16(), parameters.uint16())
    log.event(.connected(event), at: time)
  }

  mutating func add(_ packet: AirPacket, at time: Int64) {
    guard !packet.isEncrypted, let link = links[packet.accessAddress], let isFromCentral = packet.isFromCentral else {
      return
    }
    let payload = packet.pdu.dropFirst(2)
    guard let kind = PayloadKind(rawValue: packet.pdu[0] & 3) else { return }
    switch (kind, payload.first) {
    // Later packets at this access address are encrypted, or belong to another link.
    case (.control, Self.terminate), (.control, Self.startEncryption):
      log.event(.ended(link.handle), at: time)
      links[packet.accessAddress] = nil
    case (.start, _), (.continuation, _):
      let head = LittleEndian.bytes(link.handle | (kind == .start ? 0x2000 : 0x1000))
      let data = head + [UInt8(clamping: payload.count), 0] + payload
      log.data(data[...], isReceived: isFromCentral != link.isOfCentral, at: time)
    case (.control, _): break
    }
  }
}
