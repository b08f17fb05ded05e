import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaRadio
import BleperaRules
import Glibc

@testable import BleperaPhone

/// A random history of an app with two managers of each role and two peripherals, which is killed and relaunched; equal
/// seeds give equal histories.
///
/// The history knows what the managers use and what happens to it, and so which callbacks they have to receive: a
/// relaunched manager first `willRestoreState` with all that it used when the app ended, in the present state, then its
/// state, then everything that has happened since, once and in order.
final class RestorationHistory: @unchecked Sendable {  // runs on one loop
  static let centrals = ["c1", "c2"].map { ManagerID(.central, .restorable($0)) }
  static let publishers = ["p1", "p2"].map { ManagerID(.peripheral, .restorable($0)) }
  static let peripherals = [1, 2].map { RoleStage.address($0) }
  static let subscribers = (0...1).map { CentralID(rawValue: "00:11:22:33:44:5\($0)") }

  /// The app's use of a peripheral.
  enum Use: String { case connecting, connected, notifying }

  /// A manager as the history knows it.
  struct Manager {
    var uses: [PeripheralID: Use] = [:]
    /// The subscribers of the service.
    var subscribers: [CentralID] = []
    /// The peripherals in use when the app ended; nil for a manager that the app has created.
    var ended: [PeripheralID: Use]?
    /// Whether the app has published its service.
    var publishes = false
    var isCreated = false
    /// The events that have happened and are not expected yet.
    var waiting: [String] = []
    var expected: [String] = []
    var received: [String] = []
  }

  let loop: VirtualLoop
  private var random: SplitMix64
  private let store = HistoryStore()
  private(set) var phone: EmulatedPhone!
  private(set) var radio: LinkRadio!
  private var app: HistoryApp?
  private var processes: pid_t = 100
  private var isOn = true
  private var isLaunching = false
  var managers: [ManagerID: Manager] = [:]
  private(set) var steps: [String] = []
  /// The events that were dropped, with their rules.
  private(set) var dropped: [String] = []
  private(set) var kills = 0

  init(seed: UInt64, loop: VirtualLoop) {
    random = SplitMix64(seed: seed)
    self.loop = loop
    for id in Self.centrals + Self.publishers { managers[id] = Manager() }
  }

  /// Plays the history; returns the first violation, with the steps.
  func violation(steps count: Int) async -> String? {
    await startPhone()
    launch(byUser: true)
    await wait(.milliseconds(5))
    for _ in 1...count {
      await step()
      if let violation { return "\(violation) after \(steps.joined(separator: ", "))" }
    }
    // Events that are still awaited arrive when the app runs.
    if !isOn { await switchPower() }
    if app == nil { launch(byUser: true) }
    await wait(.seconds(12))
    await phone.shutDown()
    return violation.map { "\($0) at the end of \(steps.joined(separator: ", "))" }
  }

  /// A manager that runs has received what was expected, and nothing else.
  private var violation: String? {
    for (id, manager) in managers.sorted(by: { "\($0.key)" < "\($1.key)" }) where manager.isCreated {
      guard manager.received != manager.expected else { continue }
      return "\(id) expected \(manager.expected), received \(manager.received)"
    }
    return nil
  }

  private func wait(_ time: Duration) async { try? await loop.sleep(for: time) }

  /// The order in which the phone reports what happens to several at once.
  private func inOrder(_ uses: [PeripheralID: Use]?) -> [(key: PeripheralID, value: Use)] {
    (uses ?? [:]).sorted { $0.key.forApps < $1.key.forApps }
  }

  private func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  // MARK: Steps

  private func step() async {
    let address = Self.peripherals[below(2)]
    let central = Self.centrals[below(2)]
    let choice = below(20)
    switch choice {
    case 0...3: connect(address, by: central)
    case 4, 5: await subscribe(to: address, by: central)
    case 6: cancel(address, by: central)
    case 7...9: move(address)
    case 10...12: send(address)
    case 13: await switchPower()
    case 14, 15: kill()
    case 16: await replacePhone(killsApp: below(2) == 0)
    case 17: changeSubscription(of: Self.publishers[below(2)])
    case 18 where app == nil: launch(byUser: true)
    case 19 where app == nil: await quit()
    default: steps.append("wait")
    }
    await wait([.milliseconds(5), .milliseconds(5), .milliseconds(700), .seconds(12)][below(4)])
  }

  private func connect(_ address: PeripheralID, by id: ManagerID) {
    guard app?.isSuspended == false, isOn, managers[id]?.isCreated == true, managers[id]?.uses[address] == nil else {
      return
    }
    steps.append("\(id) connects \(address)")
    let isLinked = radio.now { $0.links.contains(address) }
    managers[id]?.uses[address] = isLinked ? .connected : .connecting
    if isLinked { note("connected \(address)", id) }
    app?.link.send(.central(id.name, .connect(address.forApps, ConnectOptions())))
  }

  private func cancel(_ address: PeripheralID, by id: ManagerID) {
    guard app?.isSuspended == false, isOn, managers[id]?.isCreated == true, managers[id]?.uses[address] != nil else {
      return
    }
    steps.append("\(id) cancels \(address)")
    managers[id]?.uses[address] = nil
    note("disconnected \(address)", id)
    app?.link.send(.central(id.name, .cancelPeripheralConnection(address.forApps)))
  }

  /// The app discovers the heart rate and subscribes to its value.
  private func subscribe(to address: PeripheralID, by id: ManagerID) async {
    guard app?.isSuspended == false, managers[id]?.isCreated == true, managers[id]?.uses[address] == .connected else {
      return
    }
    steps.append("\(id) subscribes to \(address)")
    let calls: [PeripheralCall] = [
      .discoverServices(nil), .discoverCharacteristics(nil, service: 0x10), .setNotifyValue(true, characteristic: 0x12),
    ]
    for call in calls {
      app?.link.send(.central(id.name, .peripheral(address.forApps, call)))
      await wait(.milliseconds(1))
    }
    managers[id]?.uses[address] = .notifying
  }

  /// The peripheral leaves the radio's reach, or returns.
  private func move(_ address: PeripheralID) {
    let isInReach = radio.now { $0.move(address) }
    steps.append("\(address) \(isInReach ? "returns" : "leaves")")
  }

  private func send(_ address: PeripheralID) {
    guard radio.now({ $0.links.contains(address) }) else { return }
    steps.append("\(address) notifies")
    for id in Self.centrals where managers[id]?.uses[address] == .notifying { note("value \(address)", id) }
    radio.now { $0.notify(address) }
  }

  private func switchPower() async {
    isOn.toggle()
    steps.append(isOn ? "on" : "off")
    for id in Self.publishers {
      for central in managers[id]?.subscribers ?? [] where !isOn { note("unsubscribed \(central.rawValue)", id) }
      if !isOn { managers[id]?.subscribers = [] }
    }
    for id in Self.centrals + Self.publishers {
      let isCreated = managers[id]?.isCreated == true
      if isCreated { note("state \(isOn)", id) }
      guard !isOn else { continue }
      for (address, use) in inOrder(managers[id]?.uses) {
        guard !isCreated else {
          managers[id]?.uses[address] = nil
          continue
        }
        if use != .connecting { note("disconnected \(address) reconnecting", id) }
        managers[id]?.uses[address] = .connecting
      }
    }
    radio.now { $0.switchPower(on: isOn) }
  }

  private func kill() {
    guard let app else { return }
    steps.append("kill")
    end()
    app.link.close()
  }

  /// The app's process has ended.
  private func end() {
    kills += 1
    app = nil
    for id in Self.centrals + Self.publishers {
      guard var manager = managers[id] else { continue }
      if manager.ended == nil { manager.ended = manager.uses }
      manager.isCreated = false
      managers[id] = manager
    }
  }

  /// The user force-quits an app that does not run: what waits for it is dropped by R15.
  private func quit() async {
    steps.append("quit")
    let waiting = managers.values.flatMap(\.waiting).count
    let before = dropped.count
    _ = await phone.perform(ControlRequest(.quit))
    await wait(.milliseconds(1))
    let new = dropped[before...]
    if new.count != waiting || !new.allSatisfy({ $0.hasSuffix("R15") }) {
      managers[Self.centrals[0], default: Manager()].received.append("dropped \(new) of \(waiting)")
    }
    for id in managers.keys {
      var manager = Manager()
      (manager.received, manager.expected) = (managers[id]?.received ?? [], managers[id]?.expected ?? [])
      managers[id] = manager
    }
  }

  /// The phone's process is killed, and another one starts on what was saved: within a second for what nobody waits
  /// for. A central that is subscribed then is awaited, which `RestoredSubscribersTests` has.
  private func replacePhone(killsApp: Bool) async {
    guard Self.publishers.allSatisfy({ managers[$0]?.subscribers.isEmpty == true }) else { return }
    await wait(.milliseconds(1100))
    steps.append(killsApp ? "phone and app killed" : "phone killed")
    let runs = app
    // A process that runs on is suspended by nobody here: it knows that its phone has ended.
    if app != nil { end() }
    for id in Self.centrals {
      for (address, use) in inOrder(managers[id]?.uses) where use != .connecting {
        note("disconnected \(address) reconnecting", id)
        managers[id]?.uses[address] = .connecting
      }
    }
    await phone.die()
    runs?.link.close()
    let inReach = radio.now { $0.inReach }
    await startPhone(inReach: inReach)
    if !killsApp, runs != nil, !isLaunching { launch(byUser: false) }
  }

  private func changeSubscription(of id: ManagerID) {
    guard managers[id]?.publishes == true, isOn else { return }
    let handle = radio.now { $0.value(of: $0.published[id == Self.publishers[0] ? 0 : 1]) }
    let central = Self.subscribers[below(2)]
    if let index = managers[id]?.subscribers.firstIndex(of: central) {
      steps.append("\(central.rawValue) unsubscribes from \(id)")
      managers[id]?.subscribers.remove(at: index)
      note("unsubscribed \(central.rawValue)", id)
      radio.now { $0.unsubscribe(central, from: handle) }
    } else {
      steps.append("\(central.rawValue) subscribes to \(id)")
      managers[id]?.subscribers.append(central)
      note("subscribed \(central.rawValue)", id)
      radio.now { $0.subscribe(central, to: handle) }
    }
  }

  // MARK: What happens

  /// A callback is expected at once of a manager that is created, otherwise after its restoration.
  private func note(_ text: String, _ id: ManagerID) {
    if managers[id]?.isCreated == true {
      managers[id]?.expected.append(text)
    } else {
      managers[id]?.waiting.append(text)
    }
  }

  /// The link with a peripheral has been made or has ended, as the radio reports now.
  private func linkChanged(_ address: PeripheralID, _ isLinked: Bool) {
    for id in Self.centrals {
      guard let use = managers[id]?.uses[address] else { continue }
      if isLinked {
        managers[id]?.uses[address] = .connected
        note("connected \(address)", id)
      } else if use != .connecting {
        managers[id]?.uses[address] = nil
        note("disconnected \(address)", id)
      }
    }
  }

  // MARK: Processes

  private func startPhone(inReach: Set<PeripheralID> = []) async {
    var settings = PhoneSettings()
    settings.rules = .newest
    let launcher = HistoryLauncher { [unowned self] byUser in launch(byUser: byUser) }
    phone = EmulatedPhone(loop: loop, settings: settings, store: store, launcher: launcher) { [unowned self] event, _ in
      if case .dropped(_, let notice, let rule) = event { dropped.append("\(notice) \(rule)") }
    }
    let isOn = isOn
    try? await phone.start { [unowned self] report in
      let radio = LinkRadio(loop: loop, inReach: inReach, isOn: isOn, report: report) { [unowned self] in
        linkChanged($0, $1)
      }
      self.radio = radio
      return radio
    }
  }

  @discardableResult
  private func launch(byUser: Bool) -> pid_t {
    processes += 1
    if byUser { steps.append("launch") } else { steps.append("relaunch") }
    let process = processes
    isLaunching = true
    // A launcher returns before the process connects.
    Task(executorPreference: loop.tasks) { [self] in
      let app = HistoryApp(self, byUser: byUser)
      self.app = app
      isLaunching = false
      await app.run(on: phone, process)
    }
    return process
  }

  func received(_ text: String, by id: ManagerID) { managers[id]?.received.append(text) }

  /// The app creates a manager: the history says what it is to be restored with.
  func created(_ id: ManagerID) {
    guard var manager = managers[id], !manager.isCreated else { return }
    manager.isCreated = true
    if let restored = restored(manager, id) { manager.expected.append(restored) }
    manager.expected += ["state \(isOn)"] + manager.waiting
    (manager.waiting, manager.ended) = ([], nil)
    managers[id] = manager
  }

  /// The restored state of a manager; nil if nothing is restored.
  private func restored(_ manager: Manager, _ id: ManagerID) -> String? {
    guard id.role == .central else {
      return manager.ended == nil || !manager.publishes ? nil : "restored \(manager.subscribers.map(\.rawValue))"
    }
    guard let ended = manager.ended, !ended.isEmpty else { return nil }
    let lines = ended.map { address, use in
      let now = manager.uses[address].map { $0 == .connecting ? "connecting" : "connected" } ?? "disconnected"
      return "\(address) \(now)\(use == .notifying ? " notifying" : "")"
    }
    return "restored \(lines.sorted())"
  }
}
