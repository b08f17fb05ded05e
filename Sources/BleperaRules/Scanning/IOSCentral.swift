internal import BleperaBluetooth

/// An iPhone as a central (R16): an app with the background mode `bluetooth-central`, and the system, which decides
/// which advertisements the app receives.
///
/// No timer is needed: a connection request never times out, and a scan that has been more frequent for long enough is
/// slower from the next event on. A radio scans with the parameters of `listen`, or continuously; for the latter,
/// advertisements between scan windows are ignored here.
package struct IOSCentral: Sendable {
  package enum Event: Sendable {
    /// Replaces a scan in progress and clears its discoveries, unless it is the same.
    case scan(ScanRequest)
    case stopScan
    /// The app is opened.
    case foreground
    case background
    /// While the screen is off, every app is in the background, and the phone sleeps.
    case screen(isOn: Bool)
    /// The app starts or ends a Live Activity. One that is started counts in the foreground only.
    case liveActivity(isOn: Bool)
    case received(PeripheralID, ReceivedAdvertisement)
    /// `connect(_:options:)`
    case connect(PeripheralID)
    /// `cancelPeripheralConnection(_:)`
    case cancelConnection(PeripheralID)
    case connected(PeripheralID)
    /// The connection failed; it is retried for each further advertisement of the peripheral.
    case connectionFailed(PeripheralID)
    case disconnected(PeripheralID)
  }

  package enum Action: Equatable, Sendable {
    /// Scan with these parameters; nil stops scanning.
    case listen(Listening?)
    case discovered(PeripheralID, Discovery)
    case ignored(PeripheralID, IgnoreReason)
    /// Connect to the peripheral, which has just advertised.
    case connect(PeripheralID)
    /// Disconnect, or cancel the connection attempt.
    case disconnect(PeripheralID)
  }

  package struct Listening: Equatable, Sendable {
    package let timing: ScanTiming
    package let isActive: Bool
  }

  private enum Link: Equatable {
    /// Becomes connecting when the peripheral advertises.
    case pending
    /// Becomes connected, or pending again.
    case connecting
    case connected
  }

  package let rules: RuleSet
  /// Whether the radio scans continuously, so that advertisements between scan windows must be ignored.
  private let ignoresBetweenWindows: Bool
  private var request: ScanRequest?
  /// The one that was stopped last.
  private var former: ScanRequest?
  private var reported = ReportedPeripherals()
  private var links: [PeripheralID: Link] = [:]
  private var isFrontmost: Bool
  private var isScreenOn: Bool
  private var hasLiveActivity = false
  package private(set) var listening: Listening?
  private var listensSince = Duration.zero
  /// Until when the phone scans more often, because its screen was lit or the app was opened.
  private var litEnd: Duration?

  /// - Parameter ignoresBetweenWindows: ignores advertisements that are received between scan windows.
  package init(_ rules: RuleSet, isFrontmost: Bool = true, isScreenOn: Bool = true, ignoresBetweenWindows: Bool = false)
  {
    self.rules = rules
    self.ignoresBetweenWindows = ignoresBetweenWindows
    self.isFrontmost = isFrontmost
    self.isScreenOn = isScreenOn
  }

  package var isForeground: Bool { isFrontmost && isScreenOn }

  /// Whether the app may scan without services and receive duplicates.
  private var scansFreely: Bool { isForeground || hasLiveActivity && rules.liveActivityScans.value }

  /// Events must be in the order in which they happen.
  ///
  /// - Parameter now: the time since any fixed instant; never decreases.
  package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
    var actions: [Action] = []
    if let end = litEnd, end <= now {
      litEnd = nil
      actions = settle(at: end)
    }
    switch event {
    case .scan(let request): scan(request)
    case .stopScan: (former, request) = (request ?? former, nil)
    case .foreground:
      isFrontmost = true
      light(at: now)
    case .background: isFrontmost = false
    case .screen(let isOn):
      if isOn, !isScreenOn { light(at: now) }
      isScreenOn = isOn
    case .liveActivity(let isOn): hasLiveActivity = isOn && (isForeground || hasLiveActivity)
    case .received(let peripheral, let packet): actions += receive(peripheral, packet, at: now)
    case .connect(let peripheral): if links[peripheral] == nil { links[peripheral] = .pending }
    case .cancelConnection(let peripheral):
      switch links.removeValue(forKey: peripheral) {
      case .connecting, .connected: actions.append(.disconnect(peripheral))
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

  private mutating func light(at now: Duration) {
    let time = rules.litScan.value.time
    litEnd = time > .zero ? now + time : nil
  }

  private mutating func scan(_ request: ScanRequest) {
    defer { (former, self.request) = (nil, request) }
    guard self.request != request else { return }
    if former != request || rules.restartReportsAgain.value { reported = ReportedPeripherals() }
  }

  /// Whether and how the app would receive the advertisement, if it were the first of its peripheral.
  package func reception(of received: ReceivedAdvertisement) -> Reception {
    guard let request else { return .ignored(.notScanning) }
    guard scansFreely || !request.services.isEmpty else { return .ignored(.needsServices) }
    let discovery = discovery(received, request, includesScanResponse: isActive, readsOverflow: readsOverflow)
    if Self.isWanted(discovery, request) { return .discovered(discovery) }
    let everything = self.discovery(received, request, includesScanResponse: true, readsOverflow: true)
    guard Self.isWanted(everything, request) else { return .ignored(.noSuchService) }
    let whole = self.discovery(received, request, includesScanResponse: true, readsOverflow: readsOverflow)
    return .ignored(Self.isWanted(whole, request) ? .inScanResponse : .overflowUnread)
  }

  package enum Reception: Equatable, Sendable {
    case discovered(Discovery)
    case ignored(IgnoreReason)
  }

  private mutating func receive(_ peripheral: PeripheralID, _ received: ReceivedAdvertisement, at now: Duration)
    -> [Action]
  {
    if ignoresBetweenWindows, let listening, !listening.timing.isOpen(after: now - listensSince) {
      return [.ignored(peripheral, .betweenWindows)]
    }
    var actions: [Action] = []
    switch reception(of: received) {
    case .ignored(.notScanning) where links[peripheral] == .pending: break
    case .ignored(let reason): actions = [.ignored(peripheral, reason)]
    case .discovered(let discovery):
      let isFirst = reported.insert(peripheral)
      let repeats = scansFreely && request?.allowsDuplicates == true
      actions = [isFirst || repeats ? .discovered(peripheral, discovery) : .ignored(peripheral, .reported)]
    }
    if received.isConnectable, links[peripheral] == .pending {
      links[peripheral] = .connecting
      actions.append(.connect(peripheral))
    }
    return actions
  }

  private var isActive: Bool {
    switch rules.backgroundScanResponses.value {
    case .never: isForeground
    case .screenOn: isScreenOn
    }
  }

  private var readsOverflow: Bool { isScreenOn || !rules.overflowNeedsScreen.value }

  private func discovery(
    _ received: ReceivedAdvertisement, _ request: ScanRequest, includesScanResponse: Bool, readsOverflow: Bool
  ) -> Discovery {
    let structures =
      received.advertisement.structures + (includesScanResponse ? received.scanResponse?.structures ?? [] : [])
    let content = AdvertisedContent(structures)
    let listed: [BluetoothUUID] = content.serviceUUIDs.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    var discovery = Discovery(
      localName: content.name, serviceUUIDs: listed,
      manufacturerData: content.manufacturerData.filter { $0.key != OverflowArea.companyIdentifier },
      serviceData: content.serviceData, txPowerLevel: content.txPower, isConnectable: received.isConnectable,
      rssi: received.rssi)
    guard readsOverflow, let area = OverflowArea(in: structures) else { return discovery }
    discovery.overflowServiceUUIDs = OverflowMatch.all(of: request.services.filter { !listed.contains($0) }, in: area)
    return discovery
  }

  private static func isWanted(_ discovery: Discovery, _ request: ScanRequest) -> Bool {
    request.services.isEmpty || !discovery.overflowServiceUUIDs.isEmpty
      || discovery.serviceUUIDs.contains { request.services.contains($0) }
  }

  /// Updates the scan parameters of the radio where they have changed.
  private mutating func settle(at now: Duration) -> [Action] {
    let isScanning = request.map { scansFreely || !$0.services.isEmpty } ?? false
    let isWaiting = links.values.contains(.pending)
    let timing = isScanning ? timing(isWaiting: isWaiting) : rules.backgroundScan.value
    let wanted = isScanning || isWaiting ? Listening(timing: timing, isActive: isScanning && isActive) : nil
    guard wanted != listening else { return [] }
    listening = wanted
    listensSince = now
    return [.listen(wanted)]
  }

  /// How the app's scan listens. To connect, the phone listens as often asleep as awake.
  private func timing(isWaiting: Bool) -> ScanTiming {
    if isForeground { return rules.foregroundScan.value }
    if !isScreenOn { return isWaiting ? rules.backgroundScan.value : rules.sleepScan.value }
    return litEnd == nil ? rules.backgroundScan.value : rules.litScan.value.timing
  }
}

/// The peripherals that a scan has reported, which it does not report again.
///
/// Addresses change every few minutes, so that a scan of days sees any number of peripherals: of those that are silent
/// the latest are kept, at least `limit`, and each that still advertises.
struct ReportedPeripherals: Sendable {
  /// How many peripherals a generation has; ours, since iOS publishes no limit.
  static let limit = 4096

  private var latest: Set<PeripheralID> = []
  private var former: Set<PeripheralID> = []

  /// How many peripherals are known, at most twice `limit`.
  var count: Int { latest.union(former).count }

  /// Returns whether the peripheral is new.
  mutating func insert(_ peripheral: PeripheralID) -> Bool {
    guard !latest.contains(peripheral) else { return false }
    if latest.count == Self.limit { (former, latest) = (latest, []) }
    latest.insert(peripheral)
    return former.remove(peripheral) == nil
  }

  mutating func remove(_ peripheral: PeripheralID) {
    latest.remove(peripheral)
    former.remove(peripheral)
  }
}
