import BleperaBluetooth

/// The frames of L2CAP channels (Core Specification, Vol 3, Part A, 3.4.3 and 4).
enum ChannelPDU {
  /// The LE signaling channel.
  private static let signaling: UInt16 = 0x0005

  private enum Code: UInt8 {
    case disconnectionRequest = 0x06
    case disconnectionResponse = 0x07
    case connectionRequest = 0x14
    case connectionResponse = 0x15
    case flowControlCredit = 0x16
  }

  /// The frames for a packet, each with its direction and its channel on the link.
  static func frames(_ packet: ChannelPacket) -> [(isUpward: Bool, channel: UInt16, bytes: [UInt8])] {
    let isUpward = packet.isUpward
    switch packet {
    case .request(let id, let psm):
      return [signal(.connectionRequest, id, psm.bytes + LittleEndian.bytes(number(id)) + limits, isUpward)]
    case .response(let id, let refusal):
      let offer = refusal == nil ? LittleEndian.bytes(number(id)) + limits : [UInt8](repeating: 0, count: 8)
      return [signal(.connectionResponse, id, offer + LittleEndian.bytes(refusal?.code ?? 0), isUpward)]
    case .data(let end, let bytes):
      return [(isUpward, number(end.channel), LittleEndian.bytes(UInt16(clamping: bytes.count)) + bytes)]
    case .credits(let end, let count):
      let content = LittleEndian.bytes(number(end.channel)) + LittleEndian.bytes(UInt16(clamping: count))
      return [signal(.flowControlCredit, end.channel, content, isUpward)]
    case .disconnect(let end):
      let ends = LittleEndian.bytes(number(end.channel)) + LittleEndian.bytes(number(end.channel))
      return [
        signal(.disconnectionRequest, end.channel, ends, isUpward),
        signal(.disconnectionResponse, end.channel, ends, !isUpward),
      ]
    }
  }

  /// Maximum SDU, maximum packet and first credits of each side.
  private static var limits: [UInt8] {
    [AirChannel.maximumPayload, AirChannel.maximumPayload + 2, AirChannel.window].flatMap {
      LittleEndian.bytes(UInt16(clamping: $0))
    }
  }

  private static func signal(
    _ code: Code, _ id: ChannelID, _ content: [UInt8], _ isUpward: Bool
  ) -> (isUpward: Bool, channel: UInt16, bytes: [UInt8]) {
    let head = [code.rawValue, UInt8(id.number % 255 + 1)] + LittleEndian.bytes(UInt16(clamping: content.count))
    return (isUpward, signaling, head + content)
  }

  /// The dynamic channel, the same one on both sides.
  private static func number(_ id: ChannelID) -> UInt16 { 0x0040 + UInt16(id.number % 64) }
}
