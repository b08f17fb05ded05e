import BleperaBluetooth

/// L2CAP channels: LE credit based connections (Core Specification, Vol 3, Part A, 4 and 10.1).
extension HostStack {
  private static let dynamic = UInt16(0x0040)...0x007F
  /// The smallest maximum size of an SDU and of a frame, in bytes.
  private static let leastSize: UInt16 = 23
  /// The result of unacceptable parameters (4.23).
  private static let unacceptable: UInt16 = 0x000B
  /// The reasons of Command Reject (4.1).
  private static let notUnderstood: UInt16 = 0x0000
  private static let invalidChannel: UInt16 = 0x0002

  // MARK: Calls

  /// Completes with the number of this side's end, two bytes.
  mutating func openChannel(_ operation: OperationID, over id: ConnectionID, _ psm: L2CAPPSM) {
    guard links[id] != nil else { return act(.completed(operation, .failure(.notConnected))) }
    guard let number = freeNumber(over: id) else {
      return act(.completed(operation, .failure(.channel(.other(0x0004)))))
    }
    let end = ChannelEnd(id, number)
    let request = signal(.creditConnectionRequest(psm, HostChannel.offer(number)), over: id)
    channels[end] = HostChannel(opening: operation, by: request)
    startTimer(.opening, of: end)
  }

  /// The first bytes that wait for the reader; nil at the end.
  package func channelInput(_ end: ChannelEnd, upTo limit: Int) -> [UInt8]? {
    guard let channel = channels[end] else { return nil }
    let bytes = Array(channel.input.prefix(limit))
    return bytes.isEmpty && (!channel.isOpen || channel.isClosed) ? nil : bytes
  }

  /// How many bytes can be written now; nil if none can be anymore.
  package func channelRoom(_ end: ChannelEnd) -> Int? {
    guard let channel = channels[end], channel.isOpen, !channel.isClosed else { return nil }
    return max(0, HostChannel.outputLimit - channel.output.count)
  }

  mutating func writeChannel(_ end: ChannelEnd, _ bytes: [UInt8]) {
    channels[end]?.output += bytes
    flush(end)
  }

  mutating func readChannel(_ end: ChannelEnd, count: Int) {
    let credits = channels[end]?.read(count) ?? 0
    if credits > 0 { signal(.credits(channel: end.number, count: UInt16(clamping: credits)), over: end.link) }
  }

  /// Sends the data that was written, then closes the channel.
  mutating func closeChannel(_ end: ChannelEnd) {
    guard channels[end]?.isClosed == false else { return }
    channels[end]?.isClosed = true
    channels[end]?.input = []
    flush(end)
    if channels[end]?.isOpen == true { startTimer(.closing, of: end) }
  }

  private mutating func flush(_ end: ChannelEnd) {
    guard let peer = channels[end]?.peer else { return }
    var hasSent = false
    while let packet = channels[end]?.next() {
      send(L2CAPFrame(channel: peer.channel, payload: packet), over: end.link)
      hasSent = true
    }
    if hasSent { act(.channelChanged(end)) }
    guard let channel = channels[end], channel.isClosed else { return }
    if channel.isOpen, channel.output.isEmpty { disconnect(end) }
    forgetIfClosed(end)
  }

  private mutating func disconnect(_ end: ChannelEnd) {
    guard let peer = channels[end]?.peer, channels[end]?.isOpen == true else { return }
    let request = signal(.disconnectionRequest(destination: peer.channel, source: end.number), over: end.link)
    channels[end]?.request = request
    startTimer(.disconnection, of: end)
    ended(end)
  }

  /// Ends the exchange of data; data that has arrived can still be read.
  private mutating func ended(_ end: ChannelEnd) {
    guard channels[end]?.isOpen == true else { return }
    channels[end]?.isOpen = false
    act(.channelChanged(end))
    forgetIfClosed(end)
  }

  /// The number of an end is free when both sides have closed it.
  private mutating func forgetIfClosed(_ end: ChannelEnd) {
    guard let channel = channels[end], channel.isClosed, !channel.isOpen, channel.request == nil else { return }
    channels[end] = nil
  }

  mutating func endChannels(over link: ConnectionID) {
    for end in channels.keys.filter({ $0.link == link }).sorted(by: { $0.number < $1.number }) {
      if channels[end]?.opening != nil { fail(end, .disconnected) }
      ended(end)
      left(end)
    }
  }

  private mutating func fail(_ end: ChannelEnd, _ failure: ProcedureFailure) {
    guard let operation = channels.removeValue(forKey: end)?.opening else { return }
    act(.completed(operation, .failure(failure)))
  }

  private mutating func startTimer(_ timeout: ProcedureTimeout, of end: ChannelEnd) {
    let turn = startTimer(timeout) { .channelTimesOut(end, turn: $0) }
    channels[end]?.turn = turn
  }

  mutating func channelTimesOut(_ end: ChannelEnd, turn: Int) {
    guard let channel = channels[end], channel.turn == turn else { return }
    if channel.opening != nil {
      fail(end, .channel(.unanswered))
    } else if channel.isOpen {
      disconnect(end)
    } else {
      left(end)
    }
  }

  // MARK: Frames

  /// A frame of a channel's number; nothing where there is none.
  mutating func receiveChannelFrame(_ frame: L2CAPFrame, over id: ConnectionID) {
    let end = ChannelEnd(id, frame.channel)
    guard channels[end]?.isOpen == true else { return }
    if channels[end]?.receive(frame.payload) == true {
      // Empty SDUs, and the data of an end that its owner has closed, are never read.
      if channels[end]?.input.isEmpty == true { readChannel(end, count: 0) }
      act(.channelChanged(end))
    } else {
      disconnect(end)
    }
  }

  mutating func receiveSignal(_ bytes: [UInt8], over id: ConnectionID) {
    guard let signal = L2CAPSignal(bytes) else { return }
    let identifier = signal.identifier
    switch signal.content {
    case .creditConnectionRequest(let psm, let offer): opened(psm, by: offer, identifier, over: id)
    case .creditConnectionResponse(let offer, let result):
      if let end = requested(identifier, over: id) { answered(offer, result, end) }
    case .disconnectionRequest(let destination, let source):
      let end = ChannelEnd(id, destination)
      guard channels[end]?.peer?.channel == source else {
        let ends = LittleEndian.bytes(destination) + LittleEndian.bytes(source)
        return answer(identifier, .commandReject(reason: Self.invalidChannel, data: ends), over: id)
      }
      answer(identifier, .disconnectionResponse(destination: destination, source: source), over: id)
      ended(end)
    case .credits(let number, let count):
      // Zero credits change nothing (Core Specification, Vol 3, Part A, 10.1).
      guard
        let (end, channel) = channels.first(where: {
          $0.key.link == id && $0.value.peer?.channel == number && $0.value.isOpen
        })
      else { return }
      guard channel.credits + Int(count) <= Int(UInt16.max) else { return disconnect(end) }
      channels[end]?.credits += Int(count)
      flush(end)
    case .parameterUpdateRequest(let update) where links[id]?.securing.isCentral == true:
      requested(update, identifier, over: id)
    // A central does not ask for parameters, it sets them.
    case .parameterUpdateRequest, .other:
      answer(identifier, .commandReject(reason: Self.notUnderstood, data: []), over: id)
    case .commandReject:
      guard let end = requested(identifier, over: id) else { return }
      if channels[end]?.opening != nil { fail(end, .channel(.unanswered)) } else { left(end) }
    case .disconnectionResponse(let destination, let source):
      guard let end = requested(identifier, over: id), end.number == source,
        channels[end]?.peer?.channel == destination
      else { return }
      left(end)
    case .parameterUpdateResponse: break
    }
  }

  /// The end of a channel whose request has that identifier and is not answered.
  private func requested(_ identifier: UInt8, over id: ConnectionID) -> ChannelEnd? {
    channels.first { $0.key.link == id && $0.value.request == identifier }?.key
  }

  /// The peer has closed its end, too.
  private mutating func left(_ end: ChannelEnd) {
    channels[end]?.request = nil
    forgetIfClosed(end)
  }

  /// Whether a channel that one side has not closed has the peer's number.
  private func isTaken(_ number: UInt16, over id: ConnectionID) -> Bool {
    channels.contains {
      $0.key.link == id && $0.value.peer?.channel == number && ($0.value.isOpen || $0.value.request != nil)
    }
  }

  /// The peer opens a channel.
  private mutating func opened(
    _ psm: L2CAPPSM, by offer: L2CAPSignal.CreditOffer, _ identifier: UInt8, over id: ConnectionID
  ) {
    let own = freeNumber(over: id)
    let result: UInt16 =
      if let refusal = refusal(of: psm, over: id) {
        refusal
      } else if !Self.dynamic.contains(offer.channel) {
        0x0009
      } else if isTaken(offer.channel, over: id) {
        0x000A
      } else if offer.mtu < Self.leastSize || offer.mps < Self.leastSize {
        Self.unacceptable
      } else {
        own == nil ? 0x0004 : 0
      }
    guard result == 0, let own else {
      return answer(identifier, .creditConnectionResponse(.none, result: result), over: id)
    }
    let end = ChannelEnd(id, own)
    channels[end] = HostChannel(to: offer)
    answer(identifier, .creditConnectionResponse(HostChannel.offer(own), result: 0), over: id)
    act(.channelOpened(end, psm))
  }

  /// The peer has answered the request for the channel.
  private mutating func answered(_ offer: L2CAPSignal.CreditOffer, _ result: UInt16, _ end: ChannelEnd) {
    guard let operation = channels[end]?.opening else { return }
    let isPossible =
      Self.dynamic.contains(offer.channel) && offer.mtu >= Self.leastSize && offer.mps >= Self.leastSize
      && !isTaken(offer.channel, over: end.link)
    guard result == 0, isPossible else {
      // The peer has opened its end.
      if result == 0 { signal(.disconnectionRequest(destination: offer.channel, source: end.number), over: end.link) }
      return fail(end, .channel(ChannelRefusal(code: result == 0 ? Self.unacceptable : result)))
    }
    channels[end] = HostChannel(to: offer)
    act(.completed(operation, .success(.value(LittleEndian.bytes(end.number)))))
  }

  /// Unknown PSM or insufficient authentication (4.23); nil for neither.
  private func refusal(of psm: L2CAPPSM, over id: ConnectionID) -> UInt16? {
    guard let isEncrypted = publishedChannels[psm] else { return 0x0002 }
    return isEncrypted && links[id]?.security == .open ? 0x0005 : nil
  }

  private func freeNumber(over id: ConnectionID) -> UInt16? {
    Self.dynamic.first { channels[ChannelEnd(id, $0)] == nil }
  }

  /// Returns the identifier, which no other unanswered request has.
  @discardableResult
  private mutating func signal(_ content: L2CAPSignal.Content, over id: ConnectionID) -> UInt8 {
    var identifier = links[id]?.lastSignal ?? 0
    repeat { identifier = identifier % UInt8.max + 1 } while requested(identifier, over: id) != nil
    links[id]?.lastSignal = identifier
    answer(identifier, content, over: id)
    return identifier
  }

  mutating func answer(_ identifier: UInt8, _ content: L2CAPSignal.Content, over id: ConnectionID) {
    send(L2CAPFrame(L2CAPSignal(identifier: identifier, content)), over: id)
  }
}
