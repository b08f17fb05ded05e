import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The phone as a central: the scans, connections and requests of all central managers, which share one scan of the
/// radio, one connection to each peripheral and one cache of its attributes.
///
/// The role has no clock and no radio: its actions are in `outputs`.
struct CentralRole {
  /// A central manager, and what it has asked for.
  struct Manager {
    var scan = ManagerScan()
    var events: ConnectionEventMatching?
    /// The peripherals in use when its app's process ended, as they were then; nil for a manager that the app has
    /// created.
    var preserved: [RestoredPeripheral]?
  }

  var rules: RuleSet
  /// In the order of creation.
  private(set) var users: [CentralUser] = []
  var managers: [CentralUser: Manager] = [:]
  var known = KnownPeripherals()
  /// By the identifier for apps, in the order of the connects.
  var uses: [PeripheralID: [PeripheralUse]] = [:]
  var links: [PeripheralID: PeripheralLink] = [:]
  var listening = CentralListening()
  var operations = PeripheralOperations()
  private(set) var isOn = false
  /// Whether the phone was rebooted and has not been unlocked since: it neither scans nor connects (R15).
  var awaitsFirstUnlock = false
  var outputs = WorkQueue<CentralOutput>()
  /// The writes without response that were sent and not reported: see `PhoneDefect.writeStall`.
  var unreported: [PeripheralID: [CentralUser: Int]] = [:]
  /// Draws the gaps of `PhoneDefect.reconnectGap`.
  var random = SplitMix64(seed: 0)

  init(_ rules: RuleSet) { self.rules = rules }

  mutating func output(_ output: CentralOutput) { outputs.add(output) }

  mutating func deliver(_ callback: CentralCallback, to user: CentralUser, _ kind: NoticeKind, alerts: [AppID] = []) {
    output(.deliver(user, callback, kind, alerts: alerts))
  }

  mutating func deliver(_ callback: PeripheralCallback, of peripheral: PeripheralID, to user: CentralUser) {
    deliver(.peripheral(peripheral, callback), to: user, .response)
  }

  // MARK: Managers

  mutating func add(_ user: CentralUser) {
    guard managers[user] == nil else { return }
    users.append(user)
    managers[user] = Manager()
  }

  /// Ends all that the managers have asked for.
  mutating func remove(where isRemoved: (CentralUser) -> Bool, at now: Duration) {
    for user in users.filter(isRemoved) {
      release(user)
      managers[user] = nil
    }
    users.removeAll { managers[$0] == nil }
    settle(at: now)
  }

  /// - Parameter timestamp: `now` by the phone's clock.
  mutating func call(_ call: CentralCall, by user: CentralUser, at now: Duration, timestamp: Timestamp) {
    switch call {
    case .scanForPeripherals(let request): managers[user]?.scan.start(request, rules)
    case .stopScan: managers[user]?.scan.stop()
    case .connect(let id, let options): connect(id, options, by: user, at: now)
    case .cancelPeripheralConnection(let id): cancel(id, by: user, timestamp: timestamp)
    case .release(let id): cancel(id, by: user, timestamp: nil)
    // The phone's actor answers these.
    case .retrievePeripherals, .retrieveConnectedPeripherals: break
    case .registerForConnectionEvents(let matching): managers[user]?.events = matching
    case .peripheral(let id, let call): ask(call, of: id, by: user)
    }
    output(.changed)
    settle(at: now)
  }

  /// The peripherals that a call returns, none while Bluetooth is not on; nil for a call that returns nothing.
  func retrieve(_ call: CentralCall) -> [PeripheralDescription]? {
    switch call {
    case .retrievePeripherals(let ids): return isOn ? ids.compactMap { description(of: $0) } : []
    case .retrieveConnectedPeripherals(let services):
      return links.keys.sorted().filter { id in
        known[id]?.cache.services?.contains { services.contains($0.uuid) } == true
      }.compactMap { description(of: $0) }
    default: return nil
    }
  }

  func description(of id: PeripheralID) -> PeripheralDescription? {
    known[id].map {
      PeripheralDescription(id: id, name: $0.name, mtu: links[id]?.mtu ?? 23, isConnected: links[id] != nil)
    }
  }

  /// Whether the manager scans, waits for or uses a peripheral, or has lost one since its app ended.
  func isInUse(_ user: CentralUser) -> Bool {
    managers[user]?.scan.request != nil || managers[user]?.preserved?.isEmpty == false
      || uses.values.contains { $0.contains { $0.user == user } }
  }

  /// Whether a manager waits for or uses a peripheral, or is to be restored with it.
  func isHeld(_ id: PeripheralID) -> Bool { Self.isHeld(id, uses, managers) }

  /// Takes the parts of the role that it reads, so that another part can change meanwhile.
  static func isHeld(
    _ id: PeripheralID, _ uses: [PeripheralID: [PeripheralUse]], _ managers: [CentralUser: Manager]
  ) -> Bool {
    uses[id] != nil || managers.values.contains { $0.preserved?.contains { $0.peripheral.id == id } == true }
  }

  // MARK: Power

  /// Bluetooth is on or off. Off ends everything of a manager that the app has created, without a callback for each
  /// connection (bluejay issue 211). For one that is preserved the system continues when Bluetooth is on again, unless
  /// the rules forget the app (R15).
  mutating func powerChanged(
    isOn: Bool, isCreated: (CentralUser) -> Bool, at now: Duration, timestamp: Timestamp
  ) {
    guard isOn != self.isOn else { return }
    self.isOn = isOn
    guard !isOn else { return settle(at: now) }
    for user in users where isCreated(user) { managers[user]?.scan.end() }
    for id in uses.keys.sorted() {
      let kept = (uses.removeValue(forKey: id) ?? []).filter { !isCreated($0.user) }
      for use in kept where use.isConnected { reportInterruption(of: id, to: use.user, timestamp) }
      if !kept.isEmpty { uses[id] = kept.map(\.waiting) }
    }
    (links, unreported) = ([:], [:])
    operations.forget()
    listening.radioEnded()
    known.emptyCaches()
    output(.changed)
  }
}
