import BleperaBluetooth
import BleperaHost

/// Packets on the advertising channels: advertisements, requests, scan responses.
///
/// A packet is decided at its end, when all packets that overlap have begun.
extension VirtualAir {
  /// Begins an advertising event.
  mutating func transmit(_ id: AdvertisementID, turn: Int, _ packets: AdvertisingPackets, of sender: AirAdapter) {
    let (start, length, spacing) = (now.wholeMicroseconds, packets.airTime, channels.spacing)
    let number = channels.add(from: sender.id, at: start, length: length)
    // A record has all packets.
    var bits: UInt8 = records == nil ? 0 : 0b111
    for index in listeners().indices {
      bits |= knownListeners?[index].channels(ofEvent: number, at: start, spacing: spacing, length: length) ?? 0
    }
    // A capture has all packets of an event that begins while a scanner's window is open, as a sniffer of all channels.
    let isCaptured = capture != nil && listeners().contains { $0.id != sender.id && $0.scan?.isOpen(at: start) == true }
    if isCaptured { bits = 0b111 }
    guard bits != 0 else { return }
    let address = packets.address(of: sender, at: now)
    let isOwnAddress = packets.address == .ofAdapter && address != sender.identity
    let place = transmissions.add(
      AdvertisingTransmission(
        advertisement: id, turn: turn, sender: sender.id, address: address,
        identity: isOwnAddress ? sender.identity : nil, key: sender.privacy?.key, packets: packets, number: number,
        length: length, channels: bits, isCaptured: isCaptured, start: start))
    awaitPacket(of: place, from: .first)
  }

  /// Waits for the end of the next packet that somebody may receive, from that channel on.
  private mutating func awaitPacket(of place: Int, from channel: AdvertisingChannel?) {
    var next = channel
    while let candidate = next, transmissions[place]?.isShifted == false,
      transmissions[place]?.hasPacket(on: candidate) == false
    {
      next = candidate.next
    }
    guard let next, let from = transmissions[place]?.channel else { return transmissions.remove(place) }
    transmissions[place]?.start += (next.index - from.index) * channels.spacing
    transmissions[place]?.channel = next
    transmissions[place]?.phase = .advertisement
    guard let packet = transmissions[place]?.packet else { return }
    if transmissions[place]?.isShifted == true { channels.add(packet, on: next) }
    timers.add(.packetEnds(place), at: .microseconds(packet.end))
  }

  /// The packet of the transmission that is on the air ends now.
  mutating func packetEnds(_ place: Int) {
    guard let transmission = transmissions[place] else { return }
    guard advertisements[transmission.advertisement]?.turn == transmission.turn else {
      return transmissions.remove(place)
    }
    switch transmission.phase {
    case .advertisement: advertisementEnds(transmission, place)
    case .request: requestsEnd(transmission, place)
    case .response: responseEnds(transmission, place)
    }
  }

  // MARK: The advertisement

  private mutating func advertisementEnds(_ transmission: AdvertisingTransmission, _ place: Int) {
    var transmission = transmission
    transmission.responders = receive(transmission)
    guard !transmission.responders.isEmpty else { return awaitPacket(of: place, from: transmission.channel.next) }
    let start = transmission.requestStart
    // Requests of scanners in the same moment are lost, if no one is the strongest.
    let areLost =
      conditions.collides && conditions.capture == nil && transmission.responders.count > 1
      && transmission.responders.allSatisfy { $0.wanted == nil }
    for (number, responder) in transmission.responders.enumerated() {
      let packet = AdvertisingChannels.Packet(sender: responder.id, start: start, end: start + responder.length)
      // One of several lost requests disturbs others as all do.
      if !areLost || number == 0 { channels.add(packet, on: transmission.channel) }
      while requests.count <= responder.id.number { requests.append(Requests()) }
      requests[responder.id.number].end = transmission.response.end
      guard areLost else { continue }
      record(packet, .scanRequest, on: transmission.channel, isHit: true)
      fail(responder, transmission)
    }
    guard !areLost else { return proceed(transmission, place, after: transmission.requestEnd) }
    transmissions[place]?.responders = transmission.responders
    transmissions[place]?.phase = .request
    timers.add(.packetEnds(place), at: .microseconds(transmission.requestEnd))
  }

  /// Reports the advertisement to those who receive it and send no request.
  ///
  /// - Returns: who sends a request.
  private mutating func receive(_ transmission: AdvertisingTransmission) -> [AdvertisingTransmission.Responder] {
    let channel = transmission.channel
    let isHit = conditions.capture == nil && isHit(transmission.packet, on: channel, at: nil)
    record(transmission.packet, .advertisement, on: channel, isHit: isHit)
    guard !isHit else { return [] }
    var responders: [AdvertisingTransmission.Responder] = []
    var isCaptured = false
    let bit: UInt8 = 1 << UInt8(truncatingIfNeeded: channel.index)
    let listeners = listeners()
    for index in listeners.indices {
      let (id, last) = (listeners[index].id, listeners[index].last)
      // Most of those who receive the event receive another packet of it.
      guard transmission.isShifted || last.event != transmission.number || last.channels & bit != 0,
        id != transmission.sender, listeners[index].receivesExtended || !transmission.packets.isExtended
      else { continue }
      let isScanned = listeners[index].scan?.holds(channel, transmission.packet) == true
      let isAwaited =
        isScanned && listeners[index].connectsInScan
        || listeners[index].connection?.holds(channel, transmission.packet) == true
      guard isScanned || isAwaited, !isBusy(id, at: transmission.start),
        conditions.capture == nil || !self.isHit(transmission.packet, on: channel, at: id),
        !isLost(id, transmission.sender)
      else { continue }
      recordReceiver(id)
      let wanted = isAwaited && transmission.packets.isConnectable ? wantedAddress(transmission, by: id) : nil
      guard isScanned || wanted != nil else { continue }
      let rssi = measureRSSI(id, transmission.sender)
      if capture != nil, !isCaptured {
        isCaptured = true
        add(transmission, signal: isScanned ? rssi : nil)
      }
      let scan = listeners[index].scan
      // The host of a central learns of the packet, too.
      if wanted != nil, isScanned { report(transmission, to: index, rssi: rssi, hasResponse: false) }
      if wanted != nil || scan?.isActive == true && transmission.packets.isScannable && asks(id) {
        responders.append(.init(id: id, index: index, scan: scan, wanted: wanted, rssi: rssi))
      } else {
        report(transmission, to: index, rssi: rssi, hasResponse: false)
      }
    }
    if transmission.isCaptured, !isCaptured { add(transmission, signal: nil) }
    return responders
  }

  /// Adds an advertisement to the capture.
  private mutating func add(_ transmission: AdvertisingTransmission, signal: Int?) {
    let pdus = AdvertisingPDU.event(
      transmission.packets, from: transmission.address, on: transmission.channel, signal: signal)
    capture?.add(pdus, at: now)
  }

  private func wantedAddress(_ transmission: AdvertisingTransmission, by id: AdapterID) -> DeviceAddress? {
    guard let central = adapters[id], central.isPowered, let sender = adapters[transmission.sender] else { return nil }
    return wantedAddress(of: sender, sending: transmission.address, by: central)
  }

  /// Whether the adapter is in an exchange, so that it receives nothing else.
  private func isBusy(_ id: AdapterID, at start: Int) -> Bool {
    conditions.isExclusive && id.number < requests.count && requests[id.number].end > start
  }

  /// Returns whether a scanner sends a request.
  private mutating func asks(_ scanner: AdapterID) -> Bool {
    guard conditions.hasBackoff, scanner.number < requests.count else { return true }
    return requests[scanner.number].backoff.asks()
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
      if others.contains(where: { $0.id == sender }) { return true }
      guard let capture = conditions.capture, let receiver else { return false }
      return strength(sender, at: receiver) + capture <= strength(packet.sender, at: receiver)
    }
  }

  // MARK: Requests and responses

  private mutating func requestsEnd(_ transmission: AdvertisingTransmission, _ place: Int) {
    let (channel, sender, start) = (transmission.channel, transmission.sender, transmission.requestStart)
    var received: [AdvertisingTransmission.Responder] = []
    for responder in transmission.responders {
      let packet = AdvertisingChannels.Packet(sender: responder.id, start: start, end: start + responder.length)
      let others = responder.wanted == nil ? [] : transmission.responders
      let isHit = isHit(packet, on: channel, at: sender, besides: others)
      record(packet, responder.wanted == nil ? .scanRequest : .connectIndication, on: channel, isHit: isHit)
      guard !isHit, !isLost(sender, responder.id) else {
        fail(responder, transmission)
        continue
      }
      recordReceiver(sender)
      received.append(responder)
    }
    if let central = received.first(where: { $0.wanted != nil }), let wanted = central.wanted,
      // The attempt may have been cancelled meanwhile.
      wantedAddress(transmission, by: central.id) == wanted
    {
      // The connection ends the advertisement.
      transmissions.remove(place)
      for other in received where other.id != central.id { fail(other, transmission) }
      return establish(
        central: central.id, peripheral: sender, as: wanted, sending: transmission.address,
        transmission.advertisement, on: channel)
    }
    received.removeAll { $0.wanted != nil }
    guard !received.isEmpty else { return proceed(transmission, place, after: transmission.requestEnd) }
    channels.add(transmission.response, on: channel)
    transmissions[place]?.responders = received
    transmissions[place]?.phase = .response
    timers.add(.packetEnds(place), at: .microseconds(transmission.response.end))
  }

  private mutating func responseEnds(_ transmission: AdvertisingTransmission, _ place: Int) {
    let (packet, channel) = (transmission.response, transmission.channel)
    let exchange = AdvertisingChannels.Packet(sender: packet.sender, start: transmission.start, end: packet.end)
    let isHit = conditions.capture == nil && isHit(packet, on: channel, at: nil)
    record(packet, .scanResponse, on: channel, isHit: isHit)
    for responder in transmission.responders {
      guard !isHit, responder.scan?.holds(channel, exchange) == true,
        conditions.capture == nil || !self.isHit(packet, on: channel, at: responder.id),
        !isLost(responder.id, transmission.sender)
      else {
        fail(responder, transmission)
        continue
      }
      recordReceiver(responder.id)
      if capture != nil, let scanner = adapters[responder.id]?.address {
        let pdus = AdvertisingPDU.scan(
          transmission.packets, of: transmission.address, by: scanner, on: channel, signal: responder.rssi)
        capture?.add(pdus, at: now)
      }
      report(transmission, to: responder, hasResponse: true)
      changeBackoff(of: responder.id) { $0.succeeded($1) }
    }
    proceed(transmission, place, after: packet.end)
  }

  /// A request was in vain: a scanner has the advertisement alone.
  private mutating func fail(_ responder: AdvertisingTransmission.Responder, _ transmission: AdvertisingTransmission) {
    guard responder.wanted == nil else { return }
    report(transmission, to: responder, hasResponse: false)
    changeBackoff(of: responder.id) { $0.failed($1) }
  }

  private mutating func changeBackoff(
    of scanner: AdapterID, _ change: (inout RequestBackoff, (Int) -> Int) -> Void
  ) {
    guard conditions.hasBackoff else { return }
    var backoff = requests[scanner.number].backoff
    change(&backoff) { Int.random(in: 0..<$0, using: &random) }
    requests[scanner.number].backoff = backoff
  }

  /// The next packet begins at its time, or 150 us after an exchange that takes longer.
  private mutating func proceed(_ transmission: AdvertisingTransmission, _ place: Int, after end: Int) {
    guard let next = transmission.channel.next else { return transmissions.remove(place) }
    let planned = transmission.start + channels.spacing
    let start = max(planned, end + AirTime.interframeSpace)
    if start > planned, !transmission.isShifted {
      channels.shift(transmission.number, after: transmission.channel)
      transmissions[place]?.isShifted = true
    }
    // The start from which `awaitPacket` counts.
    transmissions[place]?.start += start - planned
    awaitPacket(of: place, from: next)
  }

  // MARK: Reports

  /// Reports to a scanner after an exchange, if its scan has neither ended nor started again.
  private mutating func report(
    _ transmission: AdvertisingTransmission, to responder: AdvertisingTransmission.Responder, hasResponse: Bool
  ) {
    if knownListeners == nil { _ = listeners() }
    let count = knownListeners?.count ?? 0
    var index = responder.index
    if index >= count || knownListeners?[index].id != responder.id {
      index = knownListeners?.firstIndex { $0.id == responder.id } ?? count
    }
    guard index < count, knownListeners?[index].scan == responder.scan else { return }
    report(transmission, to: index, rssi: responder.rssi, hasResponse: hasResponse)
  }

  /// - Parameter index: the scanner's among the listeners.
  private mutating func report(
    _ transmission: AdvertisingTransmission, to index: Int, rssi: Int, hasResponse: Bool
  ) {
    guard let id = knownListeners?[index].id else { return }
    let packets = transmission.packets
    var address = transmission.address
    if let identity = transmission.identity, let key = transmission.key, knownListeners?[index].keys[identity] == key {
      address = identity
    }
    let report = AdvertisementReport(
      address: address, isConnectable: packets.isConnectable, isExtended: packets.isExtended,
      isScannable: packets.isScannable, rssi: rssi, data: packets.data,
      scanResponse: hasResponse ? packets.scanResponse : [], hasResponse: hasResponse)
    actions.append(.linkLayer(id, .received(report)))
  }
}
