import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// A single scan of the radio serves the scans of all managers (R16).
extension CentralRole {
  /// - Parameter presence: nil for an app that may not scan now.
  mutating func appChanged(_ app: AppID, _ presence: AppPresence?, at now: Duration) {
    if listening.appChanged(app, presence, litUntil: rules.litEnd(from: now)) { settle(at: now) }
  }

  mutating func screenChanged(isOn: Bool, at now: Duration) {
    if listening.screenChanged(isOn: isOn, litUntil: rules.litEnd(from: now)) { settle(at: now) }
  }

  /// When `passDeadline` is due.
  var deadline: Duration? {
    uses.values.joined().reduce(listening.deadline) { first, use in
      use.deadline.map { min(first ?? $0, $0) } ?? first
    }
  }

  mutating func passDeadline(at now: Duration) {
    for id in uses.keys {
      for index in uses[id, default: []].indices {
        if case .waiting(let from) = uses[id]?[index].phase, from <= now {
          uses[id]?[index].phase = .waiting(from: .zero)
        }
        if let end = uses[id]?[index].gapEnd, end <= now { uses[id]?[index].gapEnd = .zero }
        if let use = uses[id]?[index], let time = use.readiness, time <= now {
          uses[id]?[index].readiness = nil
          deliver(.peripheral(id, .didSendWritesWithoutResponse(rules.writeQueue.value)), to: use.user, .callback)
        }
      }
    }
    settle(at: now)
  }

  /// Sets the windows in which the radio listens, if they have changed.
  mutating func settle(at now: Duration) {
    listening.passDeadline(at: now)
    guard isOn, !awaitsFirstUnlock else { return }
    var scan: ScanWindow?
    for user in users {
      guard let request = managers[user]?.scan.request, let conditions = listening.conditions(of: user.app),
        conditions.isEffective(request, rules)
      else { continue }
      let timing = conditions.timing(rules)
      let other = ScanWindow(interval: timing.interval, window: timing.window, isActive: conditions.isActive(rules))
      scan = scan.map { $0.merged(other) } ?? other
    }
    if let change = listening.listen(scan) { output(change) }
    beginGaps(at: now)
    let waiting = uses.filter { id, uses in links[id] == nil && uses.contains { isListening(for: $0) } }
    let addresses = Set(waiting.keys.compactMap { known[$0]?.address })
    if let change = listening.want(addresses, rules) { output(change) }
  }

  mutating func received(_ address: PeripheralID, _ advertisement: ReceivedAdvertisement, at now: Duration) {
    guard isOn else { return }
    let id = known.identifier(of: address, at: now)
    func keepName(of packet: AdvertisingData?) {
      for structure in packet?.structures ?? [] {
        if let name = structure.localName { known.change(id) { $0.advertisedName = name } }
      }
    }
    known.change(id) { $0.lastSeen = now }
    keepName(of: advertisement.advertisement)
    for user in users {
      guard let conditions = listening.conditions(of: user.app) else { continue }
      for discovery in managers[user]?.scan.receive(advertisement, of: id, under: conditions, rules) ?? [] {
        if let name = discovery.localName { known.change(id) { $0.advertisedName = name } }
        guard let record = known[id], let description = description(of: id) else { continue }
        output(.discovered(user, record, discovery))
        deliver(.didDiscover(description, DiscoveredAdvertisement(discovery)), to: user, .discovery)
      }
    }
    // The name of a scan response is kept, whether or not an app receives the response.
    keepName(of: advertisement.scanResponse)
    known.clean(at: now, rules) { links[$0] != nil || Self.isHeld($0, uses, managers) }
  }
}

extension ScanWindow {
  /// The one that listens more, active where one is.
  fileprivate func merged(_ other: ScanWindow) -> ScanWindow {
    var merged = window / interval >= other.window / other.interval ? self : other
    merged.isActive = isActive || other.isActive
    return merged
  }
}

extension DiscoveredAdvertisement {
  init(_ discovery: Discovery) {
    self.init()
    localName = discovery.localName
    serviceUUIDs = discovery.serviceUUIDs
    overflowServiceUUIDs = discovery.overflowServiceUUIDs.map(\.uuid)
    solicitedServiceUUIDs = discovery.solicitedServiceUUIDs
    serviceData = discovery.serviceData.sorted { "\($0.key)" < "\($1.key)" }.map {
      ServiceData(service: $0.key, data: $0.value)
    }
    manufacturerData = discovery.manufacturerData.min { $0.key < $1.key }.map { LittleEndian.bytes($0.key) + $0.value }
    txPowerLevel = discovery.txPowerLevel
    isConnectable = discovery.isConnectable
    rssi = discovery.rssi ?? 127
  }
}
