package import BleperaBluetooth

/// Whether and how an app would receive an advertisement, if it were the first of its peripheral.
package enum ScanReception: Equatable, Sendable {
  case discovered(Discovery)
  case ignored(IgnoreReason)
}

/// A scan of an app's central manager, and which peripherals it has reported (R16).
package struct ManagerScan: Sendable {
  package private(set) var request: ScanRequest?
  /// The request of the scan that was stopped last.
  private var former: ScanRequest?
  private var reported = ReportedPeripherals()

  package init() {}

  /// Replaces a scan in progress and clears its discoveries, unless it is the same.
  package mutating func start(_ request: ScanRequest, _ rules: RuleSet) {
    defer { (former, self.request) = (nil, request) }
    guard self.request != request else { return }
    if former != request || rules.restartReportsAgain.value { reported = ReportedPeripherals() }
  }

  package mutating func stop() { (former, request) = (request ?? former, nil) }

  /// Bluetooth is off: the scan ends and forgets its peripherals.
  package mutating func end() { self = Self() }

  /// The peripheral is discovered again once it has disconnected.
  package mutating func disconnected(_ peripheral: PeripheralID) { reported.remove(peripheral) }

  /// The discoveries of an advertisement and its scan response, in the order of the app's callbacks. Empty for an
  /// advertisement that is ignored; `reception` has the reason, unless the peripheral was reported.
  package mutating func receive(
    _ received: ReceivedAdvertisement, of peripheral: PeripheralID, under conditions: ScanConditions, _ rules: RuleSet
  ) -> [Discovery] {
    guard let request, conditions.isEffective(request, rules) else { return [] }
    let repeats = request.allowsDuplicates && conditions.scansFreely(rules)
    let isWhole = conditions.isForeground
    let addsResponse =
      isWhole && rules.foregroundDiscoveries.value == .joined && received.scanResponse?.structures.isEmpty == false
    // Most advertisements come from peripherals that were reported.
    guard repeats || !reported.isLatest(peripheral, withResponse: addsResponse) else { return [] }
    let discoveries = received.discoveries(request, conditions, rules)
    guard let first = discoveries.first(wantedBy: request) else { return [] }
    let isFirst = reported.insert(peripheral, withResponse: addsResponse, isWhole: isWhole)
    return repeats ? discoveries : isFirst ? [first] : []
  }

  package func reception(
    of received: ReceivedAdvertisement, _ conditions: ScanConditions, _ rules: RuleSet
  ) -> ScanReception {
    guard let request else { return .ignored(.notScanning) }
    guard conditions.isEffective(request, rules) else { return .ignored(.needsServices) }
    if let first = received.discoveries(request, conditions, rules).first(wantedBy: request) {
      return .discovered(first)
    }
    let packets = [received.advertisement.structures, received.scanResponse?.structures ?? []]
    func isWanted(readsOverflow: Bool) -> Bool {
      [Discovery(packets, of: received, request, readsOverflow: readsOverflow)].first(wantedBy: request) != nil
    }
    guard isWanted(readsOverflow: true) else { return .ignored(.noSuchService) }
    return .ignored(isWanted(readsOverflow: conditions.readsOverflow(rules)) ? .inScanResponse : .overflowUnread)
  }
}

extension ReceivedAdvertisement {
  /// The advertisement and the scan response as an app receives them, in one discovery or in two.
  fileprivate func discoveries(
    _ request: ScanRequest, _ conditions: ScanConditions, _ rules: RuleSet
  ) -> [Discovery] {
    var response = conditions.isActive(rules) ? scanResponse?.structures ?? [] : []
    if !conditions.isForeground { response.removeAll { OverflowArea(in: [$0]) == nil } }
    let packets = [advertisement.structures] + (response.isEmpty ? [] : [response])
    let readsOverflow = conditions.readsOverflow(rules)
    return (rules.foregroundDiscoveries.value == .joined ? [packets] : packets.map { [$0] }).map {
      Discovery($0, of: self, request, readsOverflow: readsOverflow)
    }
  }
}

extension [Discovery] {
  /// The first packet that an app has asked for. Only the system may discover Exposure Notification.
  fileprivate func first(wantedBy request: ScanRequest) -> Discovery? {
    guard !contains(where: { $0.serviceUUIDs.contains(BluetoothUUID(0xFD6F as UInt16)) }) else { return nil }
    return first { $0.isWanted(by: request) }
  }
}

extension Discovery {
  fileprivate init(
    _ packets: [[ADStructure]], of received: ReceivedAdvertisement, _ request: ScanRequest, readsOverflow: Bool
  ) {
    let structures = Array(packets.joined())
    let content = AdvertisedContent(structures)
    let listed: [BluetoothUUID] = content.serviceUUIDs.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    // If both packets have manufacturer data, only the advertisement's counts (IOS-nRF-Connect issue 128).
    let manufacturerData = packets.lazy.map {
      AdvertisedContent($0).manufacturerData.filter { $0.key != OverflowArea.companyIdentifier }
    }.first { !$0.isEmpty }
    self.init(
      localName: content.name, serviceUUIDs: listed, solicitedServiceUUIDs: content.solicitedServiceUUIDs,
      manufacturerData: manufacturerData ?? [:], serviceData: content.serviceData, txPowerLevel: content.txPower,
      isConnectable: received.isConnectable, rssi: received.rssi)
    guard readsOverflow, let area = OverflowArea(in: structures) else { return }
    overflowServiceUUIDs = OverflowMatch.all(of: request.services.filter { !listed.contains($0) }, in: area)
  }

  fileprivate func isWanted(by request: ScanRequest) -> Bool {
    request.services.isEmpty && request.solicitedServices.isEmpty || !overflowServiceUUIDs.isEmpty
      || serviceUUIDs.contains { request.services.contains($0) }
      || solicitedServiceUUIDs.contains { request.solicitedServices.contains($0) }
  }
}

/// The peripherals that a scan has reported. Before iOS 16 a peripheral that was reported without its scan response is
/// reported once more with it; ours, since iOS is known to repeat discoveries, but not when.
///
/// Addresses change every few minutes, so that a scan of days receives any number of peripherals: at least the latest
/// `limit` are kept, and each that still advertises.
struct ReportedPeripherals: Sendable {
  /// How many peripherals a generation has; ours, since iOS publishes no limit.
  static let limit = 4096

  /// The latest peripherals, and whether each was reported with its scan response or by a scan that requested one.
  private var latest: [PeripheralID: Bool] = [:]
  private var former: [PeripheralID: Bool] = [:]

  /// How many peripherals are known, at most twice `limit`.
  var count: Int { latest.merging(former) { first, _ in first }.count }

  /// Whether `insert` would change nothing.
  func isLatest(_ peripheral: PeripheralID, withResponse hasResponse: Bool) -> Bool {
    latest[peripheral].map { $0 || !hasResponse } ?? false
  }

  /// Returns whether the peripheral, or its scan response, is new.
  mutating func insert(_ peripheral: PeripheralID, withResponse hasResponse: Bool, isWhole: Bool) -> Bool {
    guard !isLatest(peripheral, withResponse: hasResponse) else { return false }
    if latest.count == Self.limit { (former, latest) = (latest, [:]) }
    let wasWhole = latest[peripheral] ?? former.removeValue(forKey: peripheral)
    latest[peripheral] = wasWhole.map { $0 || hasResponse } ?? isWhole
    return wasWhole.map { !$0 && hasResponse } ?? true
  }

  mutating func remove(_ peripheral: PeripheralID) {
    latest[peripheral] = nil
    former[peripheral] = nil
  }
}
