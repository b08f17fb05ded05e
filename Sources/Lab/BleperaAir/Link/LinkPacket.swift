package import BleperaBluetooth
import BleperaHost

/// A packet of a connection.
struct LinkPacket: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case data(LinkData)
    case control(LinkControl)
  }

  let content: Content
  /// Whether the packet goes from the central to the peripheral.
  let isUpward: Bool

  static func data(_ data: LinkData, isUpward: Bool) -> LinkPacket {
    LinkPacket(content: .data(data), isUpward: isUpward)
  }

  static func control(_ control: LinkControl, isUpward: Bool) -> LinkPacket {
    LinkPacket(content: .control(control), isUpward: isUpward)
  }

  /// The bytes of the data PDUs that carry it.
  var length: Int {
    switch content {
    case .data(let data): data.bytes.count
    // A control packet has one PDU, whatever its length.
    case .control: 1
    }
  }

  /// The opcode of the ATT PDU that begins with this packet; nil where none does.
  var opcode: ATTOpcode? {
    guard case .data(let data) = content, data.isStart, data.bytes.count > L2CAPFrame.headerLength,
      LittleEndian.number(data.bytes[2..<4]) == L2CAPFrame.attributes
    else { return nil }
    return ATTOpcode(rawValue: data.bytes[L2CAPFrame.headerLength])
  }
}

/// The first packet that does not arrive, nor anything after; counted from when the cut is set.
package enum LinkCut: Hashable, Sendable {
  /// The number of the packet, from 1: of all data and of what the link layers send each other.
  case packet(Int)
  /// The number of the ATT PDU, from 1.
  case pdu(Int)
  case first(ATTOpcode)
}
