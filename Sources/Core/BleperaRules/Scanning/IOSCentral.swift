package import BleperaBluetooth

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
    /// The app starts or ends a Live Activity. A start counts in the foreground only.
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
  private var scan = ManagerScan()
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

  private var conditions: ScanConditions {
    ScanConditions(
      isForeground: isForeground, isScreenOn: isScreenOn, hasLiveActivity: hasLiveActivity, isLit: litEnd != nil)
  }

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
    case .scan(let request): scan.start(request, rules)
    case .stopScan: scan.stop()
    case .foreground:
      isFrontmost = true
      litEnd = rules.litEnd(from: now)
    case .background: isFrontmost = false
    case .screen(let isOn):
      if isOn, !isScreenOn { litEnd = rules.litEnd(from: now) }
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
      scan.disconnected(peripheral)
    }
    return actions + settle(at: now)
  }

  /// Whether and how the app would receive the advertisement, if it were the first of its peripheral.
  package func reception(of received: ReceivedAdvertisement) -> ScanReception {
    scan.reception(of: received, conditions, rules)
  }

  private mutating func receive(_ peripheral: PeripheralID, _ received: ReceivedAdvertisement, at now: Duration)
    -> [Action]
  {
    if ignoresBetweenWindows, let listening, !listening.timing.isOpen(after: now - listensSince) {
      return [.ignored(peripheral, .betweenWindows)]
    }
    var actions: [Action] = scan.receive(received, of: peripheral, under: conditions, rules).map {
      .discovered(peripheral, $0)
    }
    if actions.isEmpty {
      switch reception(of: received) {
      case .ignored(.notScanning) where links[peripheral] == .pending: break
      case .ignored(let reason): actions = [.ignored(peripheral, reason)]
      case .discovered: actions = [.ignored(peripheral, .reported)]
      }
    }
    if received.isConnectable, links[peripheral] == .pending {
      links[peripheral] = .connecting
      actions.append(.connect(peripheral))
    }
    return actions
  }

  /// Updates the scan parameters of the radio where they have changed.
  private mutating func settle(at now: Duration) -> [Action] {
    let isScanning = scan.request.map { conditions.isEffective($0, rules) } ?? false
    let isWaiting = links.values.contains(.pending)
    let timing =
      isScanning ? conditions.timing(rules, isWaiting: isWaiting) : rules.connectionTiming(isScreenOn: isScreenOn)
    let isActive = isScanning && conditions.isActive(rules)
    let wanted = isScanning || isWaiting ? Listening(timing: timing, isActive: isActive) : nil
    guard wanted != listening else { return [] }
    listening = wanted
    listensSince = now
    return [.listen(wanted)]
  }
}
