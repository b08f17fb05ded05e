import BleperaBluetooth
import BleperaHost

/// Packets on the advertising channels: advertisements, requests, scan responses.
///
/// A packet is decided at its end, when all packets that overlap have begun.
extension VirtualAir {
  /// Begins an advertising event.
  mutating func transmit(_ id: AdvertisementID, turn: Int, _ packets: AdvertisingPackets, of sender: AirAdapter) {
    let (start, length, spacing) = (now.wholeMicroseconds, packets.airTime, spacing)
    let number = channels.add(from: sender.id, at: start, length: length)
    var bits: UInt8 = records == nil ? 0 : 0b111
    for index in listeners().indices {
      bits |= knownListeners?[index].channels(ofEventAt: start, spacing: spacing, length: length) ?? 0
    }
    guard bits != 0 else { return }
    transmissions[number] = AdvertisingTransmission(
      advertisement: id, turn: turn, sender: sender, address: packets.address(of: sender, at: now), packets: packets,
      number: number, length: length, channels: bits, start: start)
    awaitPacket(of: number, from: .first)
  }

  private var spacing: Int { conditions.spacing.wholeMicroseconds }

  /// Waits for the end of the next packet that somebody may receive, from that channel on.
  private mutating func awaitPacket(of number: Int, from channel: AdvertisingChannel?) {
    guard let transmission = transmissions[number] else { return }
    var next = channel
    while let candidate = next, !transmission.isShifted, !transmission.hasPacket(on: candidate) {
      next = candidate.next
    }
    guard let next else { return transmissions[number] = nil }
    let steps = next.rawValue - transmission.channel.rawValue
    let start = transmission.start + steps * spacing
    transmissions[number]?.channel = next
    transmissions[number]?.start = start
    transmissions[number]?.phase = .advertisement
    let packet = AdvertisingChannels.Packet(
      sender: transmission.sender.id, start: start, end: start + transmission.length)
    if transmission.isShifted { channels.add(packet, on: next) }
    timers.add(.packetEnds(number), at: .microseconds(packet.end))
  }

  /// The packet of the transmission that is on the air ends now.
  mutating func packetEnds(_ number: Int) {
    guard let transmission = transmissions[number] else { return }
    guard advertisements[transmission.advertisement]?.turn == transmission.turn else {
      return transmissions[number] = nil
    }
    switch transmission.phase {
    case .advertisement: advertisementEnds(transmission)
    case .request(let responders): requestsEnd(responders, transmission)
    case .response(let responders): responseEnds(responders, transmission)
    }
  }

  // MARK: The advertisement

  private mutating func advertisementEnds(_ transmission: AdvertisingTransmission) {
    let responders = receive(transmission)
    guard !responders.isEmpty else {
      return awaitPacket(of: transmission.number, from: transmission.channel.next)
    }
    let start = transmission.start + transmission.length + AirTime.interframeSpace
    for responder in responders {
      let id = responder.listener.id
      channels.add(.init(sender: id, start: start, end: start + responder.length), on: transmission.channel)
      requests[id, default: Requests()].end = transmission.response.end
    }
    transmissions[transmission.number]?.phase = .request(responders)
    let longest = responders.map(\.length).max() ?? 0
    timers.add(.packetEnds(transmission.number), at: .microseconds(start + longest))
  }

  /// Reports the advertisement to those who receive it and send no request.
  ///
  /// - Returns: who sends a request.
  private mutating func receive(_ transmission: AdvertisingTransmission) -> [AdvertisingTransmission.Responder] {
    let (packets, channel, sender) = (transmission.packets, transmission.channel, transmission.sender)
    var responders: [AdvertisingTransmission.Responder] = []
    var isCaptured = false
    let isHit = conditions.capture == nil && isHit(transmission.packet, on: channel, at: nil)
    record(transmission.packet, .advertisement, on: channel, isHit: isHit)
    guard !isHit else { return [] }
    for listener in listeners() where listener.id != sender.id && (listener.receivesExtended || !packets.isExtended) {
      let (isScanned, isAwaited) = listener.receives(on: channel, at: transmission.start, length: transmission.length)
      guard isScanned || isAwaited, !isBusy(listener.id, at: transmission.start),
        conditions.capture == nil || !self.isHit(transmission.packet, on: channel, at: listener.id),
        !isLost(listener.id, sender.id)
      else { continue }
      recordReceiver(listener.id)
      let wanted =
        isAwaited && packets.isConnectable
        ? adapters[listener.id].flatMap { wantedAddress(of: sender, sending: transmission.address, by: $0) } : nil
      guard isScanned || wanted != nil else { continue }
      let rssi = measureRSSI(listener.id, sender.id)
      if capture != nil, !isCaptured {
        isCaptured = true
        capture?.add(
          AdvertisingPDU.event(packets, from: transmission.address, on: channel, signal: isScanned ? rssi : nil),
          at: now)
      }
      if wanted != nil || packets.isScannable && listener.scan?.isActive == true && asks(listener.id) {
        responders.append(.init(listener: listener, wanted: wanted, rssi: rssi))
      } else {
        report(transmission, to: listener, rssi: rssi, hasResponse: false)
      }
    }
    return responders
  }

  /// Whether the adapter is in an exchange, so that it receives nothing else.
  private func isBusy(_ id: AdapterID, at start: Int) -> Bool {
    conditions.isExclusive && (requests[id]?.end ?? 0) > start
  }

  /// Returns whether a scanner sends a request.
  private mutating func asks(_ scanner: AdapterID) -> Bool {
    guard conditions.hasBackoff else { return true }
    return requests[scanner, default: Requests()].backoff.asks()
  }

  /// Returns whether an overlapping packet makes a packet unreadable.
  ///
  /// - Parameters:
  ///   - receiver: nil for any receiver, where no packet is received that overlaps with another.
  ///   - others: those whose packets of the same moment do no harm. Of several centrals the first connects, also where
  ///     scanners send requests (ours): in step, nobody would ever connect.
  private func isHit(
    _ packet: AdvertisingChannels.Packet, on channel: AdvertisingChannel, at receiver: AdapterID?,
    besides others: [AdvertisingTransmission.Responder] = []
  ) -> Bool {
    guard conditions.collides else { return false }
    func strength(_ sender: AdapterID, at receiver: AdapterID) -> Int {
      specificConditions(sender, receiver)?.rssi ?? conditions.rssi
    }
    return channels.isHit(packet, on: channel) { sender in
      if others.contains(where: { $0.listener.id == sender }) { return true }
      guard let capture = conditions.capture, let receiver else { return false }
      return strength(sender, at: receiver) + capture <= strength(packet.sender, at: receiver)
    }
  }

  // MARK: Requests and responses

  private mutating func requestsEnd(
    _ responders: [AdvertisingTransmission.Responder], _ transmission: AdvertisingTransmission
  ) {
    let (channel, sender) = (transmission.channel, transmission.sender.id)
    let start = transmission.start + transmission.length + AirTime.interframeSpace
    var received: [AdvertisingTransmission.Responder] = []
    for responder in responders {
      let id = responder.listener.id
      let packet = AdvertisingChannels.Packet(sender: id, start: start, end: start + responder.length)
      let isHit = isHit(packet, on: channel, at: sender, besides: responder.wanted == nil ? [] : responders)
      record(packet, responder.wanted == nil ? .scanRequest : .connectIndication, on: channel, isHit: isHit)
      guard !isHit, !isLost(sender, id) else {
        fail(responder, transmission)
        continue
      }
      recordReceiver(sender)
      received.append(responder)
    }
    if let central = received.first(where: { $0.wanted != nil }), let wanted = central.wanted,
      stillConnects(central.listener.id, to: wanted, transmission)
    {
      // The connection ends the advertisement.
      transmissions[transmission.number] = nil
      for other in received where other.listener.id != central.listener.id { fail(other, transmission) }
      return establish(
        central: central.listener.id, peripheral: sender, as: wanted, sending: transmission.address,
        transmission.advertisement, on: channel)
    }
    received.removeAll { $0.wanted != nil }
    guard !received.isEmpty else {
      return proceed(transmission, after: start + (responders.map(\.length).max() ?? 0))
    }
    channels.add(transmission.response, on: channel)
    transmissions[transmission.number]?.phase = .response(received)
    timers.add(.packetEnds(transmission.number), at: .microseconds(transmission.response.end))
  }

  /// Whether a central that has sent CONNECT_IND has not cancelled its attempt meanwhile.
  private func stillConnects(
    _ central: AdapterID, to wanted: DeviceAddress, _ transmission: AdvertisingTransmission
  ) -> Bool {
    guard let adapter = adapters[central], adapter.isPowered else { return false }
    return wantedAddress(of: transmission.sender, sending: transmission.address, by: adapter) == wanted
  }

  private mutating func responseEnds(
    _ responders: [AdvertisingTransmission.Responder], _ transmission: AdvertisingTransmission
  ) {
    let (packet, channel) = (transmission.response, transmission.channel)
    let exchange = packet.end - transmission.start
    let isHit = conditions.capture == nil && isHit(packet, on: channel, at: nil)
    record(packet, .scanResponse, on: channel, isHit: isHit)
    for responder in responders {
      let listener = responder.listener
      guard !isHit, conditions.capture == nil || !self.isHit(packet, on: channel, at: listener.id),
        listener.receives(on: channel, at: transmission.start, length: exchange).scan,
        !isLost(listener.id, transmission.sender.id)
      else {
        fail(responder, transmission)
        continue
      }
      recordReceiver(listener.id)
      if capture != nil, let scanner = adapters[listener.id]?.address {
        capture?.add(
          AdvertisingPDU.scan(
            transmission.packets, of: transmission.address, by: scanner, on: channel, signal: responder.rssi), at: now)
      }
      report(transmission, to: listener, rssi: responder.rssi, hasResponse: true)
      changeBackoff(of: listener.id) { $0.succeeded($1) }
    }
    proceed(transmission, after: packet.end)
  }

  /// A request was in vain: a scanner has the advertisement alone.
  private mutating func fail(_ responder: AdvertisingTransmission.Responder, _ transmission: AdvertisingTransmission) {
    guard responder.wanted == nil else { return }
    report(transmission, to: responder.listener, rssi: responder.rssi, hasResponse: false)
    changeBackoff(of: responder.listener.id) { $0.failed($1) }
  }

  private mutating func changeBackoff(
    of scanner: AdapterID, _ change: (inout RequestBackoff, (Int) -> Int) -> Void
  ) {
    guard conditions.hasBackoff, var backoff = requests[scanner]?.backoff else { return }
    change(&backoff) { Int.random(in: 0..<$0, using: &random) }
    requests[scanner]?.backoff = backoff
  }

  /// The next packet begins at its time, or 150 us after an exchange that takes longer.
  private mutating func proceed(_ transmission: AdvertisingTransmission, after end: Int) {
    guard let next = transmission.channel.next else { return transmissions[transmission.number] = nil }
    let spacing = spacing
    let planned = transmission.start + spacing
    let start = max(planned, end + AirTime.interframeSpace)
    guard start > planned || transmission.isShifted else {
      return awaitPacket(of: transmission.number, from: next)
    }
    channels.shift(transmission.number, after: transmission.channel)
    transmissions[transmission.number]?.isShifted = true
    // The start from which `awaitPacket` counts.
    transmissions[transmission.number]?.start = start - spacing
    awaitPacket(of: transmission.number, from: next)
  }

  private mutating func report(
    _ transmission: AdvertisingTransmission, to listener: AirListener, rssi: Int, hasResponse: Bool
  ) {
    // The scan may have ended, or started again, meanwhile.
    guard knownListeners?.contains(where: { $0.id == listener.id && $0.scan == listener.scan }) == true else { return }
    let (packets, sender) = (transmission.packets, transmission.sender)
    let identity = sender.identity
    // Without privacy both are the same address.
    let isKnown =
      transmission.address != identity && packets.address == .ofAdapter && sender.isKnown(with: listener.keys[identity])
    actions.append(
      .linkLayer(
        listener.id,
        .received(
          AdvertisementReport(
            address: isKnown ? identity : transmission.address, isConnectable: packets.isConnectable,
            isExtended: packets.isExtended, isScannable: packets.isScannable, rssi: rssi, data: packets.data,
            scanResponse: hasResponse ? packets.scanResponse : [], hasResponse: hasResponse))))
  }
}
