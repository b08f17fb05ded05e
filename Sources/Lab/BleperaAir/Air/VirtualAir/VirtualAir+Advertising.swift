import BleperaBluetooth
package import BleperaHost

/// Advertisements and the scanners that receive them.
extension VirtualAir {
  mutating func advertise(
    _ id: AdvertisementID, on adapterID: AdapterID, _ packets: AdvertisingPackets, lifetime: Duration?, events: Int?
  ) {
    guard let adapter = adapters[adapterID] else { return }
    guard adapter.isPowered else { return actions.append(.linkLayer(adapterID, .advertisementRefused(id))) }
    let turn = nextNumber()
    advertisements[id] = AirAdvertisement(
      adapter: adapterID, packets: packets, events: lifetime == nil && events == nil ? nil : 0, limit: events,
      turn: turn)
    // The first event happens at once.
    timers.add(.advertisingEvent(id, turn: turn), at: now)
    if let lifetime { timers.add(.advertisementEnds(id, turn: turn), at: now + lifetime) }
    actions.append(.linkLayer(adapterID, .advertising(id)))
  }

  /// The packets that an adapter has on the air now, in the order of the advertisements' numbers.
  package func advertised(by adapter: AdapterID) -> [AdvertisingPackets] {
    advertisements.filter { $0.value.adapter == adapter }.sorted { $0.key < $1.key }.map(\.value.packets)
  }

  /// - Parameter end: the present; events that are late by more than an interval are not made up for.
  mutating func advertisingEvent(_ id: AdvertisementID, turn: Int, until end: Duration) {
    guard let advertisement = advertisements[id], advertisement.turn == turn else { return }
    guard let delay = adapters[advertisement.adapter]?.description.advertisingDelay else { return }
    guard end - now <= advertisement.packets.interval + delay.maximum else {
      return timers.add(.advertisingEvent(id, turn: turn), at: end)
    }
    changeAddress(of: advertisement.adapter)
    guard let sender = adapters[advertisement.adapter] else { return }
    if let events = advertisement.events { advertisements[id]?.events = events + 1 }
    let wait = advertisement.packets.isOwn ? delay.random(using: &ownRandom) : delay.random(using: &random)
    timers.add(.advertisingEvent(id, turn: turn), at: now + advertisement.packets.interval + wait)
    let packets = advertisement.packets.sent(by: sender.privacy)
    let (address, identity) = (packets.address(of: sender, at: now), sender.identity)
    var isCaptured = false
    for index in listeners().indices {
      // Most windows are closed.
      guard let end = knownListeners?[index].silenceEnd, end <= now,
        let isOpen = knownListeners?[index].isScanOpen(at: now), let listener = knownListeners?[index],
        listener.id != sender.id, listener.receivesExtended || !packets.isExtended
      else { continue }
      if isOpen, let window = listener.scan, !isLost(listener.id, sender.id) {
        // Without privacy both are the same address.
        let isKnown =
          address != identity && packets.address == .ofAdapter && sender.isKnown(with: listener.keys[identity])
        let known = isKnown ? identity : address
        let rssi = hear(packets, from: known, of: sender.id, at: listener.id, window)
        if capture != nil {
          captureEvent(packets, of: sender, rssi, &isCaptured)
          captureScan(packets, of: sender, rssi, by: listener)
        }
      }
      if packets.isConnectable, listener.isConnecting, let central = adapters[listener.id],
        let wanted = wantedAddress(of: sender, sending: address, by: central),
        central.isListening(at: now), !isLost(listener.id, sender.id)
      {
        captureEvent(packets, of: sender, nil, &isCaptured)
        establish(central: listener.id, peripheral: sender.id, as: wanted, sending: address, id)
        // This has ended the advertisement.
        return
      }
    }
    if let limit = advertisement.limit, advertisements[id]?.events == limit { advertisementEnds(id, turn: turn) }
  }

  /// A private address changes with the first event after its time.
  private mutating func changeAddress(of adapter: AdapterID) {
    guard adapters[adapter]?.privacy?.isDue(at: now) == true else { return }
    let now = now
    update(adapter) { $0.privacy?.change(at: now) }
  }

  /// Returns the signal strength at the listener, in dBm.
  private mutating func hear(
    _ packets: AdvertisingPackets, from address: DeviceAddress, of sender: AdapterID, at listener: AdapterID,
    _ window: ScanWindow
  ) -> Int {
    let rssi = measureRSSI(listener, sender)
    actions.append(
      .linkLayer(
        listener,
        .received(
          AdvertisementReport(
            address: address, isConnectable: packets.isConnectable, isExtended: packets.isExtended,
            isScannable: packets.isScannable, rssi: rssi,
            data: packets.data, scanResponse: window.isActive ? packets.scanResponse : []))))
    return rssi
  }

  /// An event is captured once, however many receive it.
  private mutating func captureEvent(
    _ packets: AdvertisingPackets, of sender: AirAdapter, _ rssi: Int?, _ isCaptured: inout Bool
  ) {
    guard !isCaptured else { return }
    isCaptured = true
    capture?.add(AdvertisingPDU.event(packets, from: packets.address(of: sender, at: now), signal: rssi), at: now)
  }

  private mutating func captureScan(
    _ packets: AdvertisingPackets, of sender: AirAdapter, _ rssi: Int, by listener: AirListener
  ) {
    guard listener.scan?.isActive == true, !packets.scanResponse.isEmpty,
      let scanner = adapters[listener.id]?.address
    else { return }
    capture?.add(
      AdvertisingPDU.scan(packets, of: packets.address(of: sender, at: now), by: scanner, signal: rssi), at: now)
  }

  mutating func advertisementEnds(_ id: AdvertisementID, turn: Int) {
    guard let advertisement = advertisements[id], advertisement.turn == turn else { return }
    advertisements[id] = nil
    actions.append(
      .linkLayer(advertisement.adapter, .advertisementReleased(id, events: advertisement.events ?? 0)))
  }
}
