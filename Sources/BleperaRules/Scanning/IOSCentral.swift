internal import BleperaBluetooth

/// A central's app on an iPhone, with `bluetooth-central` among its background modes, and the system below it (R16):
/// what it hears of what is on the air.
///
/// Nothing of it needs a clock: a connection that was asked for waits for ever. A radio listens at the pace that
/// `listen` says, or all the time, and then what comes between its windows is left out here.
package struct IOSCentral: Sendable {
  package enum Event: Sendable {
    /// In place of a scan that is under way, whose discoveries are forgotten.
    case scan(ScanRequest)
    case stopScan
    case foreground
    case background
    /// Switched off, every app is in the background.
    case screen(isOn: Bool)
    case heard(PeripheralID, HeardAdvertisement)
    /// `connect(_:options:)`
    case connect(PeripheralID)
    /// `cancelPeripheralConnection(_:)`
    case cancelConnection(PeripheralID)
    case connected(PeripheralID)
    /// The link did not come about: it is tried again, as often as the peripheral is heard.
    case connectionFailed(PeripheralID)
    case disconnected(PeripheralID)
  }

  package enum Action: Equatable, Sendable {
    /// Listen at that pace, and ask for scan responses or not; nil: not at all.
    case listen(Listening?)
    case discovered(PeripheralID, Discovery)
    case passedOver(PeripheralID, PassedOver)
    /// Make a link to it, now that it is there.
    case connect(PeripheralID)
    /// End the link, or the attempt at one.
    case disconnect(PeripheralID)
  }

  package struct Listening: Equatable, Sendable {
    package let pace: ScanPace
    package let isActive: Bool
  }

  private enum Link: Equatable {
    /// Becomes connecting when it is heard.
    case pending
    /// Becomes connected, or pending again.
    case connecting
    case connected
  }

  package let rules: RuleSet
  /// Whether the radio listens all the time.
  private let leavesOut: Bool
  private var request: ScanRequest?
  private var reported: Set<PeripheralID> = []
  private var links: [PeripheralID: Link] = [:]
  private var isInFront: Bool
  private var isScreenOn: Bool
  private var listening: Listening?
  private var listensSince = Duration.zero

  /// - Parameter leavesOut: passes over what is heard between the windows of its pace.
  package init(_ rules: RuleSet, isInFront: Bool = true, isScreenOn: Bool = true, leavesOut: Bool = false) {
    self.rules = rules
    self.leavesOut = leavesOut
    self.isInFront = isInFront
    self.isScreenOn = isScreenOn
  }

  private var isForeground: Bool { isInFront && isScreenOn }

  /// In the order in which they happen.
  ///
  /// - Parameter now: since whatever instant, and never less than before.
  package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    var actions: [Action] = []
    switch event {
    case .scan(let request):
      self.request = request
      reported = []
    case .stopScan: request = nil
    case .foreground: isInFront = true
    case .background: isInFront = false
    case .screen(let isOn): isScreenOn = isOn
    case .heard(let peripheral, let heard): actions = hear(peripheral, heard, at: now)
    case .connect(let peripheral): if links[peripheral] == nil { links[peripheral] = .pending }
    case .cancelConnection(let peripheral):
      switch links.removeValue(forKey: peripheral) {
      case .connecting, .connected: actions = [.disconnect(peripheral)]
      case .pending, nil: break
      }
    case .connected(let peripheral): if links[peripheral] != nil { links[peripheral] = .connected }
    case .connectionFailed(let peripheral): if links[peripheral] != nil { links[peripheral] = .pending }
    case .disconnected(let peripheral):
      links[peripheral] = nil
      reported.remove(peripheral)
    }
    return actions + settle(at: now)
  }

  /// What the app would hear of it, if it were the first that it hears of that peripheral.
  package func reception(of heard: HeardAdvertisement) -> Reception {
    guard let request else { return .passedOver(.notScanning) }
    guard isForeground || !request.services.isEmpty else { return .passedOver(.needsServices) }
    let discovery = discovery(heard, request, hearsResponse: isActive, readsOverflow: readsOverflow)
    if Self.isWanted(discovery, request) { return .discovered(discovery) }
    let everything = self.discovery(heard, request, hearsResponse: isActive, readsOverflow: true)
    if Self.isWanted(everything, request) { return .passedOver(.overflowUnread) }
    let whole = self.discovery(heard, request, hearsResponse: true, readsOverflow: readsOverflow)
    return .passedOver(Self.isWanted(whole, request) ? .inScanResponse : .noSuchService)
  }

  package enum Reception: Equatable, Sendable {
    case discovered(Discovery)
    case passedOver(PassedOver)
  }

  private mutating func hear(_ peripheral: PeripheralID, _ heard: HeardAdvertisement, at now: Duration) -> [Action] {
    if leavesOut, let listening, !listening.pace.isOpen(after: now - listensSince) {
      return [.passedOver(peripheral, .betweenWindows)]
    }
    var actions: [Action] = []
    switch reception(of: heard) {
    case .passedOver(.notScanning) where links[peripheral] == .pending: break
    case .passedOver(let reason): actions = [.passedOver(peripheral, reason)]
    case .discovered(let discovery):
      let isFirst = reported.insert(peripheral).inserted
      let repeats = isForeground && request?.allowsDuplicates == true
      actions = [isFirst || repeats ? .discovered(peripheral, discovery) : .passedOver(peripheral, .reported)]
    }
    if heard.isConnectable, links[peripheral] == .pending {
      links[peripheral] = .connecting
      actions.append(.connect(peripheral))
    }
    return actions
  }

  private var isActive: Bool { isForeground || rules.backgroundScanIsActive.value }

  private var readsOverflow: Bool { isScreenOn || !rules.overflowNeedsScreen.value }

  private func discovery(
    _ heard: HeardAdvertisement, _ request: ScanRequest, hearsResponse: Bool, readsOverflow: Bool
  ) -> Discovery {
    var discovery = Discovery(isConnectable: heard.isConnectable, rssi: heard.rssi)
    var area = OverflowArea()
    let response = hearsResponse ? heard.scanResponse?.structures ?? [] : []
    for structure in heard.advertisement.structures + response {
      switch structure {
      case .serviceUUIDs(let list, _):
        discovery.serviceUUIDs += list.uuids.filter { !discovery.serviceUUIDs.contains($0) }
      case .completeLocalName(let name), .shortenedLocalName(let name): discovery.localName = name
      case .txPowerLevel(let level): discovery.txPowerLevel = Int(level)
      case .serviceData(let uuid, let data): discovery.serviceData[uuid] = data
      case .manufacturerData(OverflowArea.companyIdentifier, _):
        if let found = OverflowArea(structure) { area.formUnion(found) }
      case .manufacturerData(let company, let data): discovery.manufacturerData[company] = data
      case .flags, .serviceSolicitation, .appearance, .other: break
      }
    }
    guard readsOverflow else { return discovery }
    let listed = discovery.serviceUUIDs
    discovery.overflowServiceUUIDs = OverflowMatch.all(of: request.services.filter { !listed.contains($0) }, in: area)
    return discovery
  }

  private static func isWanted(_ discovery: Discovery, _ request: ScanRequest) -> Bool {
    request.services.isEmpty || !discovery.overflowServiceUUIDs.isEmpty
      || discovery.serviceUUIDs.contains { request.services.contains($0) }
  }

  /// How the radio has to listen for what is wanted, where that has changed.
  private mutating func settle(at now: Duration) -> [Action] {
    let isScanning = request.map { isForeground || !$0.services.isEmpty } ?? false
    let isWaiting = links.values.contains(.pending)
    let pace = isForeground ? rules.foregroundScan.value : rules.backgroundScan.value
    let wanted = isScanning || isWaiting ? Listening(pace: pace, isActive: isScanning && isActive) : nil
    guard wanted != listening else { return [] }
    listening = wanted
    listensSince = now
    return [.listen(wanted)]
  }
}
