import BleperaBluetooth

/// L2CAP channels: LE credit based connections.
extension VirtualAir {
  mutating func openChannel(_ id: ChannelID, _ operation: OperationID, over link: ConnectionID, _ psm: L2CAPPSM) {
    guard connections[link] != nil else { return actions.append(.completed(operation, .failure(.notConnected))) }
    channelsBeingOpened[id] = (operation, link)
    send(.channel(.request(id, psm)), over: link)
  }

  /// The first bytes that wait for the reader; nil at the end.
  package func channelInput(_ end: ChannelEnd, upTo limit: Int) -> [UInt8]? {
    guard let channel = channels[end.channel] else { return nil }
    let bytes = Array(channel[end].input.prefix(limit))
    return bytes.isEmpty && (!channel.isOpen || channel[end].isClosed) ? nil : bytes
  }

  /// How many bytes can be written now; nil if none can be anymore.
  package func channelRoom(_ end: ChannelEnd) -> Int? {
    guard let channel = channels[end.channel], channel.isOpen, !channel[end].isClosed else { return nil }
    return max(0, AirChannel.outputLimit - channel[end].output.count)
  }

  mutating func writeChannel(_ end: ChannelEnd, _ bytes: [UInt8]) {
    channels[end.channel]?[end].output += bytes
    flush(end)
  }

  /// Removes what has been read, and gives the other side credits for as many packets.
  mutating func readChannel(_ end: ChannelEnd, count: Int) {
    guard let link = channels[end.channel]?.connection else { return }
    channels[end.channel]?[end].input.removeFirst(count)
    guard let channel = channels[end.channel], channel.isOpen else { return }
    let unread = (channel[end].input.count + AirChannel.maximumPayload - 1) / AirChannel.maximumPayload
    let due = channel[end].unreturned - unread
    guard due >= AirChannel.window / 2 else { return }
    channels[end.channel]?[end].unreturned -= due
    send(.channel(.credits(end, due)), over: link)
  }

  /// What was written is sent first.
  mutating func closeChannel(_ end: ChannelEnd) {
    guard channels[end.channel]?[end].isClosed == false else { return }
    channels[end.channel]?[end].isClosed = true
    channels[end.channel]?[end].input = []
    flush(end)
    removeIfClosed(end.channel)
  }

  mutating func removeIfClosed(_ id: ChannelID) {
    guard let channel = channels[id], channel.central.isClosed, channel.peripheral.isClosed else { return }
    channels[id] = nil
  }

  private mutating func flush(_ end: ChannelEnd) {
    guard let channel = channels[end.channel], channel.isOpen else { return }
    let output = channel[end].output
    let payload = channel.maximumPayload
    let count = min(channel[end].credits, (output.count + payload - 1) / payload)
    for start in stride(from: 0, to: count * payload, by: payload) {
      send(.channel(.data(end, Array(output[start...].prefix(payload)))), over: channel.connection)
    }
    channels[end.channel]?[end].credits -= count
    let sent = min(output.count, count * payload)
    channels[end.channel]?[end].output.removeFirst(sent)
    if sent > 0 { actions.append(.channelChanged(end)) }
    guard channel[end].isClosed, sent == output.count else { return }
    channels[end.channel]?.isOpen = false
    send(.channel(.disconnect(end)), over: channel.connection)
  }

  mutating func receive(_ packet: ChannelPacket, over link: ConnectionID) {
    switch packet {
    case .request(let id, let psm):
      let refusal = refusal(of: psm, over: link)
      if refusal == nil {
        channels[id] = AirChannel(connection: link)
        actions.append(.channelOpened(ChannelEnd(id, isCentral: false), link, psm))
      }
      send(.channel(.response(id, refusal)), over: link)
    case .response(let id, let refusal):
      guard let operation = channelsBeingOpened.removeValue(forKey: id)?.operation else { return }
      actions.append(.completed(operation, refusal.map { .failure(.channel($0)) } ?? .success([])))
    case .data(let sender, let bytes):
      guard let channel = channels[sender.channel], !channel[sender.other].isClosed else { return }
      channels[sender.channel]?[sender.other].input += bytes
      channels[sender.channel]?[sender.other].unreturned += 1
      actions.append(.channelChanged(sender.other))
    case .credits(let sender, let count):
      channels[sender.channel]?[sender.other].credits += count
      flush(sender.other)
    case .disconnect(let sender):
      channels[sender.channel]?.isOpen = false
      actions.append(.channelChanged(sender.other))
    }
  }

  func refusal(of psm: L2CAPPSM, over link: ConnectionID) -> ChannelRefusal? {
    guard let connection = connections[link],
      let isEncrypted = adapters[connection.peripheral]?.publishedChannels[psm]
    else { return .unknownPSM }
    return isEncrypted && connection.security == .open ? .notEncrypted : nil
  }

  /// What has arrived can still be read.
  mutating func endChannels(over link: ConnectionID) {
    for (id, opening) in channelsBeingOpened.filter({ $0.value.link == link }).sorted(by: { $0.key < $1.key }) {
      channelsBeingOpened[id] = nil
      channels[id]?.central.isClosed = true
      actions.append(.completed(opening.operation, .failure(.disconnected)))
    }
    for id in channels.filter({ $0.value.connection == link }).keys.sorted() {
      channels[id]?.isOpen = false
      if channels[id]?.host != nil { channels[id]?.central.isClosed = true }
      actions.append(.channelChanged(ChannelEnd(id, isCentral: true)))
      actions.append(.channelChanged(ChannelEnd(id, isCentral: false)))
    }
  }
}
