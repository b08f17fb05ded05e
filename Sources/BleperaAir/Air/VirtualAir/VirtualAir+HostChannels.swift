import BleperaBluetooth
import BleperaHost

/// Credit-based channels that hosts outside the air open to a peripheral of the air (Core Specification, Vol 3, Part A, 4
/// and 10.1).
extension VirtualAir {
  mutating func receiveSignal(_ bytes: [UInt8], over id: ConnectionID) {
    guard let signal = L2CAPSignal(bytes) else { return }
    let identifier = signal.identifier
    switch signal.content {
    case .creditConnectionRequest(let psm, let offer): openChannel(psm, offer, identifier, over: id)
    case .disconnectionRequest(let destination, let source):
      guard let channel = hostChannel(over: id, where: { $0.own == destination && $0.peer.channel == source }) else {
        let ends = LittleEndian.bytes(destination) + LittleEndian.bytes(source)
        return answer(identifier, .commandReject(reason: Self.invalidChannel, data: ends), over: id)
      }
      answer(identifier, .disconnectionResponse(destination: destination, source: source), over: id)
      hostClosed(channel)
    case .disconnectionResponse(let destination, let source):
      if let channel = hostChannel(over: id, where: { $0.peer.channel == destination && $0.own == source }) {
        hostClosed(channel)
      }
    case .credits(let number, let count):
      guard let channel = hostChannel(over: id, where: { $0.peer.channel == number }) else { return }
      let end = ChannelEnd(channel, isCentral: false)
      guard count > 0, (channels[channel]?.peripheral.credits ?? 0) + Int(count) <= Int(UInt16.max) else {
        return breakOff(channel)
      }
      receive(.credits(end.other, Int(count)), over: id)
    // A central does not ask for parameters, it sets them.
    case .parameterUpdateRequest, .other:
      answer(identifier, .commandReject(reason: Self.notUnderstood, data: []), over: id)
    case .commandReject, .parameterUpdateResponse, .creditConnectionResponse: break
    }
  }

  private mutating func openChannel(
    _ psm: L2CAPPSM, _ offer: L2CAPSignal.CreditOffer, _ identifier: UInt8, over id: ConnectionID
  ) {
    let used = channels.values.filter { $0.connection == id }.compactMap(\.host)
    let dynamic = UInt16(0x0040)...0x007F
    let own = dynamic.first { number in !used.contains { $0.own == number } }
    let result: UInt16 =
      if let refusal = refusal(of: psm, over: id) {
        refusal.code
      } else if !dynamic.contains(offer.channel) {
        0x0009
      } else if used.contains(where: { $0.peer.channel == offer.channel }) {
        0x000A
      } else if offer.mtu < Self.leastSize || offer.mps < Self.leastSize {
        0x000B
      } else {
        own == nil ? 0x0004 : 0
      }
    guard result == 0, let own else {
      return answer(identifier, .creditConnectionResponse(.none, result: result), over: id)
    }
    // The air's own centrals number theirs from 1.
    let channel = ChannelID(-nextNumber())
    channels[channel] = AirChannel(connection: id)
    channels[channel]?.host = HostChannel(own: own, peer: offer)
    channels[channel]?.peripheral.credits = Int(offer.credits)
    let answered = L2CAPSignal.CreditOffer(
      channel: own, mtu: UInt16(AirChannel.maximumPayload), mps: UInt16(AirChannel.maximumPayload + 2),
      credits: UInt16(AirChannel.window))
    answer(identifier, .creditConnectionResponse(answered, result: 0), over: id)
    actions.append(.channelOpened(ChannelEnd(channel, isCentral: false), id, psm))
  }

  /// A frame of a channel's number; nothing where there is none.
  mutating func receiveChannelFrame(_ frame: L2CAPFrame, over id: ConnectionID) {
    guard let channel = hostChannel(over: id, where: { $0.own == frame.channel }) else { return }
    let isAllowed = (channels[channel]?.peripheral.unreturned ?? 0) < AirChannel.window
    guard isAllowed, let bytes = channels[channel]?.host?.receive(frame.payload) else { return breakOff(channel) }
    receive(.data(ChannelEnd(channel, isCentral: true), bytes), over: id)
  }

  /// What the peripheral's end sends, as the host receives it.
  func frame(of packet: ChannelPacket) -> L2CAPFrame? {
    switch packet {
    case .data(let end, let bytes):
      guard let host = channels[end.channel]?.host else { return nil }
      return L2CAPFrame(channel: host.peer.channel, payload: LittleEndian.bytes(UInt16(clamping: bytes.count)) + bytes)
    case .credits(let end, let count):
      return signal(of: end) { .credits(channel: $0.own, count: UInt16(clamping: count)) }
    case .disconnect(let end):
      return signal(of: end) { .disconnectionRequest(destination: $0.peer.channel, source: $0.own) }
    // Of the air's own centrals.
    case .request, .response: return nil
    }
  }

  private func signal(of end: ChannelEnd, _ content: (HostChannel) -> L2CAPSignal.Content) -> L2CAPFrame? {
    guard let host = channels[end.channel]?.host else { return nil }
    let identifier = UInt8(-end.channel.number % 255 + 1)
    return L2CAPFrame(L2CAPSignal(identifier: identifier, content(host)))
  }

  /// The host has broken the channel's rules.
  private mutating func breakOff(_ channel: ChannelID) {
    guard let link = channels[channel]?.connection, channels[channel]?.isOpen == true else { return }
    send(.channel(.disconnect(ChannelEnd(channel, isCentral: false))), over: link)
    channels[channel]?.isOpen = false
    actions.append(.channelChanged(ChannelEnd(channel, isCentral: false)))
  }

  private mutating func hostClosed(_ channel: ChannelID) {
    channels[channel]?.central.isClosed = true
    if channels[channel]?.isOpen == true {
      channels[channel]?.isOpen = false
      actions.append(.channelChanged(ChannelEnd(channel, isCentral: false)))
    }
    removeIfClosed(channel)
  }

  private func hostChannel(over id: ConnectionID, where isMeant: (HostChannel) -> Bool) -> ChannelID? {
    channels.first { $0.value.connection == id && $0.value.host.map(isMeant) == true }?.key
  }

  private mutating func answer(_ identifier: UInt8, _ content: L2CAPSignal.Content, over id: ConnectionID) {
    answer(L2CAPFrame(L2CAPSignal(identifier: identifier, content)), over: id)
  }

  /// Of an SDU and of a frame, in bytes.
  private static let leastSize: UInt16 = 23
  /// Of Command Reject (4.1).
  private static let notUnderstood: UInt16 = 0x0000
  private static let invalidChannel: UInt16 = 0x0002
}
