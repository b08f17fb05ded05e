import BleperaBluetooth
import BleperaPhoneLink
import BleperaRadio
import BleperaRules

/// One scan of the radio serves the scans of all managers (R16).
extension CentralRole {
  /// - Parameter presence: nil for an app that may not scan now.
  mutating func appChanged(_ app: AppID, _ presence: AppPresence?, at now: Duration) {
    guard presences[app] != presence else { return }
    let isOpened = presence?.isForeground == true
    presences[app] = presence
    if isOpened { litEnd = rules.litEnd(from: now) }
    settle(at: now)
  }

  mutating func screenChanged(isOn: Bool, at now: Duration) {
    guard isOn != isScreenOn else { return }
    isScreenOn = isOn
    if isOn { litEnd = rules.litEnd(from: now) }
    settle(at: now)
  }

  /// When `passDeadline` is due.
  var deadline: Duration? {
    let starts = uses.values.joined().compactMap { use -> Duration? in
      guard case .waiting(let from) = use.phase, from > .zero else { return use.readiness }
      return from
    }
    return (starts + [listening == nil ? nil : litEnd].compactMap(\.self)).min()
  }

  mutating func passDeadline(at now: Duration) {
    for id in uses.keys {
      for index in uses[id, default: []].indices {
        if case .waiting(let from) = uses[id]?[index].phase, from <= now {
          uses[id]?[index].phase = .waiting(from: .zero)
        }
        if let use = uses[id]?[index], let time = use.readiness, time <= now {
          uses[id]?[index].readiness = nil
          deliver(.peripheral(id, .didSendWritesWithoutResponse(rules.writeQueue.value)), to: use.user, .callback)
        }
      }
    }
    settle(at: now)
  }

  private func conditions(of app: AppID) -> ScanConditions? {
    presences[app].map {
      ScanConditions(isForeground: $0.isForeground, isScreenOn: isScreenOn, isLit: litEnd != nil)
    }
  }

  /// Tells the radio how to listen, where that has changed.
  mutating func settle(at now: Duration) {
    if let end = litEnd, end <= now { litEnd = nil }
    guard isOn, !awaitsFirstUnlock else { return }
    var scan: ScanWindow?
    for user in users {
      guard let request = managers[user]?.scan.request, let conditions = conditions(of: user.app),
        conditions.isEffective(request, rules)
      else { continue }
      let timing = conditions.timing(rules)
      let other = ScanWindow(interval: timing.interval, window: timing.window, isActive: conditions.isActive(rules))
      scan = scan.map { $0.merged(other) } ?? other
    }
    if scan != listening {
      listening = scan
      output(.scan(scan))
    }
    let waiting = uses.filter { id, uses in links[id] == nil && uses.contains { $0.phase == .waiting(from: .zero) } }
    let addresses = Set(waiting.keys.compactMap { known[$0]?.address })
    let timing = rules.connectionTiming(isScreenOn: isScreenOn)
    if addresses != wanted || timing != wantedTiming && !wanted.isEmpty {
      (wanted, wantedTiming) = (addresses, timing)
      output(.connect(addresses, ScanWindow(interval: timing.interval, window: timing.window, isActive: false)))
    }
  }

  /// - Returns: whether an app discovers the peripheral; most are known already.
  mutating func received(_ address: PeripheralID, _ advertisement: ReceivedAdvertisement, at now: Duration) -> Bool {
    guard isOn else { return false }
    let id = known.identifier(of: address, at: now)
    known.change(id) { record in
      record.lastSeen = now
      for structure in advertisement.advertisement.structures {
        if let name = structure.localName { record.advertisedName = name }
      }
    }
    var isDiscovered = false
    for user in users {
      guard let conditions = conditions(of: user.app),
        let discovery = managers[user]?.scan.receive(id, advertisement, conditions, rules)
      else { continue }
      if let name = discovery.localName { known.change(id) { $0.advertisedName = name } }
      guard let record = known[id], let description = description(of: id) else { continue }
      output(.discovered(user, record, discovery))
      deliver(.didDiscover(description, DiscoveredAdvertisement(discovery)), to: user, .discovery)
      isDiscovered = true
    }
    known.clean(at: now, rules) { links[$0] != nil || Self.isHeld($0, uses, managers) }
    return isDiscovered
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
