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
    transmit(id, turn: turn, advertisement.packets.sent(by: sender.privacy), of: sender)
    if let limit = advertisement.limit, advertisements[id]?.events == limit {
      timers.add(.advertisementEnds(id, turn: turn), at: now + eventDuration(of: advertisement.packets))
    }
  }

  /// The time from the start of an event to the end of its last packet, if nobody sends requests.
  private func eventDuration(of packets: AdvertisingPackets) -> Duration {
    conditions.spacing * 2 + .microseconds(packets.airTime)
  }

  /// A private address changes with the first event after its time.
  private mutating func changeAddress(of adapter: AdapterID) {
    guard adapters[adapter]?.privacy?.isDue(at: now) == true else { return }
    let now = now
    update(adapter) { $0.privacy?.change(at: now) }
  }

  mutating func advertisementEnds(_ id: AdvertisementID, turn: Int) {
    guard let advertisement = advertisements[id], advertisement.turn == turn else { return }
    advertisements[id] = nil
    actions.append(
      .linkLayer(advertisement.adapter, .advertisementReleased(id, events: advertisement.events ?? 0)))
  }
}
