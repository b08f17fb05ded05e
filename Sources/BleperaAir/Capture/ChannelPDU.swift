import BleperaBluetooth
import BleperaHost

/// The frames of L2CAP channels (Core Specification, Vol 3, Part A, 3.4.3 and 4).
enum ChannelPDU {
  /// The frames for a packet, each with its direction and its channel on the link.
  static func frames(_ packet: ChannelPacket) -> [(isUpward: Bool, channel: UInt16, bytes: [UInt8])] {
    let isUpward = packet.isUpward
    switch packet {
    case .request(let id, let psm): return [signal(.creditConnectionRequest(psm, offer(id)), id, isUpward)]
    case .response(let id, let refusal):
      let answer = refusal == nil ? offer(id) : .none
      return [signal(.creditConnectionResponse(answer, result: refusal?.code ?? 0), id, isUpward)]
    case .data(let end, let bytes):
      return [(isUpward, number(end.channel), LittleEndian.bytes(UInt16(clamping: bytes.count)) + bytes)]
    case .credits(let end, let count):
      return [
        signal(.credits(channel: number(end.channel), count: UInt16(clamping: count)), end.channel, isUpward)
      ]
    case .disconnect(let end):
      let own = number(end.channel)
      return [
        signal(.disconnectionRequest(destination: own, source: own), end.channel, isUpward),
        signal(.disconnectionResponse(destination: own, source: own), end.channel, !isUpward),
      ]
    }
  }

  /// Maximum SDU, maximum packet and first credits of each side.
  private static func offer(_ id: ChannelID) -> L2CAPSignal.CreditOffer {
    L2CAPSignal.CreditOffer(
      channel: number(id), mtu: UInt16(AirChannel.maximumPayload), mps: UInt16(AirChannel.maximumPayload + 2),
      credits: UInt16(AirChannel.window))
  }

  private static func signal(
    _ content: L2CAPSignal.Content, _ id: ChannelID, _ isUpward: Bool
  ) -> (isUpward: Bool, channel: UInt16, bytes: [UInt8]) {
    (isUpward, L2CAPFrame.signaling, L2CAPSignal(identifier: UInt8(id.number % 255 + 1), content).bytes)
  }

  /// The dynamic channel, the same one on both sides.
  private static func number(_ id: ChannelID) -> UInt16 { 0x0040 + UInt16(id.number % 64) }
}
