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

  /// Returns nil for an advertisement that is ignored; `reception` has the reason, unless the peripheral was reported.
  package mutating func receive(
    _ received: ReceivedAdvertisement, of peripheral: PeripheralID, under conditions: ScanConditions, _ rules: RuleSet
  ) -> Discovery? {
    guard let request, conditions.isEffective(request, rules) else { return nil }
    let repeats = request.allowsDuplicates && conditions.scansFreely(rules)
    let isActive = conditions.isActive(rules)
    let hasResponse = isActive && received.scanResponse?.structures.isEmpty == false
    // Most advertisements come from peripherals that were reported.
    guard repeats || !reported.isLatest(peripheral, withResponse: hasResponse) else { return nil }
    let discovery = discovery(in: received, request, conditions, rules)
    guard discovery.isWanted(by: request) else { return nil }
    let isFirst = reported.insert(peripheral, withResponse: hasResponse, isActive: isActive)
    return isFirst || repeats ? discovery : nil
  }

  private func discovery(
    in received: ReceivedAdvertisement, _ request: ScanRequest, _ conditions: ScanConditions, _ rules: RuleSet
  ) -> Discovery {
    Discovery(
      received, request, includesScanResponse: conditions.isActive(rules),
      readsOverflow: conditions.readsOverflow(rules))
  }

  package func reception(
    of received: ReceivedAdvertisement, _ conditions: ScanConditions, _ rules: RuleSet
  ) -> ScanReception {
    guard let request else { return .ignored(.notScanning) }
    guard conditions.isEffective(request, rules) else { return .ignored(.needsServices) }
    let discovery = discovery(in: received, request, conditions, rules)
    if discovery.isWanted(by: request) { return .discovered(discovery) }
    let everything = Discovery(received, request, includesScanResponse: true, readsOverflow: true)
    guard everything.isWanted(by: request) else { return .ignored(.noSuchService) }
    let whole = Discovery(
      received, request, includesScanResponse: true, readsOverflow: conditions.readsOverflow(rules))
    return .ignored(whole.isWanted(by: request) ? .inScanResponse : .overflowUnread)
  }
}

extension Discovery {
  fileprivate init(
    _ received: ReceivedAdvertisement, _ request: ScanRequest, includesScanResponse: Bool, readsOverflow: Bool
  ) {
    let structures =
      received.advertisement.structures + (includesScanResponse ? received.scanResponse?.structures ?? [] : [])
    let content = AdvertisedContent(structures)
    let listed: [BluetoothUUID] = content.serviceUUIDs.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    func manufacturerData(_ content: AdvertisedContent) -> [UInt16: [UInt8]] {
      content.manufacturerData.filter { $0.key != OverflowArea.companyIdentifier }
    }
    // If both packets have manufacturer data, only the advertisement's counts (IOS-nRF-Connect issue 128).
    let first = manufacturerData(AdvertisedContent(received.advertisement.structures))
    self.init(
      localName: content.name, serviceUUIDs: listed, solicitedServiceUUIDs: content.solicitedServiceUUIDs,
      manufacturerData: first.isEmpty ? manufacturerData(content) : first,
      serviceData: content.serviceData, txPowerLevel: content.txPower, isConnectable: received.isConnectable,
      rssi: received.rssi)
    guard readsOverflow, let area = OverflowArea(in: structures) else { return }
    overflowServiceUUIDs = OverflowMatch.all(of: request.services.filter { !listed.contains($0) }, in: area)
  }

  fileprivate func isWanted(by request: ScanRequest) -> Bool {
    // Only the system may discover Exposure Notification.
    guard !serviceUUIDs.contains(BluetoothUUID(0xFD6F as UInt16)) else { return false }
    return request.services.isEmpty && request.solicitedServices.isEmpty || !overflowServiceUUIDs.isEmpty
      || serviceUUIDs.contains { request.services.contains($0) }
      || solicitedServiceUUIDs.contains { request.solicitedServices.contains($0) }
  }
}

/// The peripherals that a scan has reported. A peripheral that a passive scan has reported is reported once more with
/// its scan response; ours, since iOS is known to repeat discoveries, but not when.
///
/// Addresses change every few minutes, so that a scan of days receives any number of peripherals: at least the latest
/// `limit` are kept, and each that still advertises.
struct ReportedPeripherals: Sendable {
  /// How many peripherals a generation has; ours, since iOS publishes no limit.
  static let limit = 4096

  /// The latest peripherals, and whether each was reported with its scan response or by an active scan.
  private var latest: [PeripheralID: Bool] = [:]
  private var former: [PeripheralID: Bool] = [:]

  /// How many peripherals are known, at most twice `limit`.
  var count: Int { latest.merging(former) { first, _ in first }.count }

  /// Whether `insert` would change nothing.
  func isLatest(_ peripheral: PeripheralID, withResponse hasResponse: Bool) -> Bool {
    latest[peripheral].map { $0 || !hasResponse } ?? false
  }

  /// Returns whether the peripheral, or its scan response, is new.
  mutating func insert(_ peripheral: PeripheralID, withResponse hasResponse: Bool, isActive: Bool) -> Bool {
    guard !isLatest(peripheral, withResponse: hasResponse) else { return false }
    if latest.count == Self.limit { (former, latest) = (latest, [:]) }
    let wasActive = latest[peripheral] ?? former.removeValue(forKey: peripheral)
    latest[peripheral] = wasActive.map { $0 || hasResponse } ?? isActive
    return wasActive.map { !$0 && hasResponse } ?? true
  }

  mutating func remove(_ peripheral: PeripheralID) {
    latest[peripheral] = nil
    former[peripheral] = nil
  }
}
