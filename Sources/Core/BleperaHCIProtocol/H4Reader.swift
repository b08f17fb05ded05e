package import BleperaBluetooth

/// Reads the packets of a host from a stream of bytes (Core Specification, Vol 4, Part A, 2, and Part E, 5.4).
package struct H4Reader: Sendable {
  package struct Packet: Hashable, Sendable {
    package let kind: HCIPacketKind
    /// Without the octet of H4.
    package let bytes: [UInt8]

    package init(kind: HCIPacketKind, bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }
  }

  /// An octet where a packet should begin: the two have lost each other, because H4 cannot find the next packet.
  package struct Fault: Error, Hashable, CustomStringConvertible {
    package let type: UInt8

    package init(type: UInt8) { self.type = type }

    package var description: String { "the octet \(type) where a packet of H4 begins, which has the types 1 to 5" }
  }

  private var bytes: [UInt8] = []
  private var start = 0

  package init() {}

  package mutating func append(_ more: [UInt8]) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// Returns nil where the next packet is not complete.
  package mutating func next() throws(Fault) -> Packet? {
    let rest = bytes[start...]
    guard let type = rest.first else { return nil }
    guard let kind = HCIPacketKind(rawValue: type) else { throw Fault(type: type) }
    let header = rest.dropFirst().prefix(kind.headerLength)
    guard header.count == kind.headerLength else { return nil }
    let length: Int =
      switch kind {
      case .command, .synchronous, .event: LittleEndian.number(header.suffix(1))
      case .acl: Int(LittleEndian.number(header.suffix(2)) as UInt16)
      case .isochronous: Int(LittleEndian.number(header.suffix(2)) as UInt16) & 0x3FFF
      }
    let packet = rest.dropFirst().prefix(kind.headerLength + length)
    guard packet.count == kind.headerLength + length else { return nil }
    start = packet.endIndex
    return Packet(kind: kind, bytes: Array(packet))
  }
}

extension HCIPacketKind {
  /// The length of the header, whose last field is the length of the rest.
  fileprivate var headerLength: Int {
    switch self {
    case .event: 2
    case .command, .synchronous: 3
    case .acl, .isochronous: 4
    }
  }
}
