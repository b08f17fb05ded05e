package import DBus

/// Keeps what we want registered with bluetoothd registered, whatever becomes of the adapter and the daemon.
///
/// One registration at a time is under way for each item, and each attempt has a number, so that the answer to an
/// attempt that a vanished adapter has overtaken is told from the answer to the present one.
package struct RegistrationMachine: Sendable {
  /// The adapter to register with.
  package struct Station: Hashable, Sendable {
    package let adapter: ObjectPath
    package let isPowered: Bool

    package init(adapter: ObjectPath, isPowered: Bool) {
      self.adapter = adapter
      self.isPowered = isPowered
    }
  }

  package typealias Attempt = Int

  package enum Event: Hashable, Sendable {
    /// Nil while there is no adapter with both managers.
    case stationChanged(Station?)
    case want(Registration)
    case unwant(Registration)
    /// Several at once: those that are not wanted any more, those that are, and of these the ones with another content.
    case replace(unwanted: [Registration], wanted: [Registration], stale: [Registration])
    /// Its content has changed, or a central has connected and so ended the advertising.
    case renew(Registration)
    /// The daemon has dropped it.
    case released(Registration)
    case registered(Registration, Attempt)
    case failed(Registration, Attempt, DBusFailure)
    /// With success or not: bluetoothd no longer has it.
    case unregistered(Registration, Attempt)
    case retryDue(Registration, Attempt)
  }

  package enum Action: Hashable, Sendable {
    case register(Registration, on: ObjectPath, Attempt)
    case unregister(Registration, on: ObjectPath, Attempt)
    case retry(Registration, Attempt, after: Duration)
    case didRegister(Registration)
    /// `count` is how often in a row, from 1.
    case didFail(Registration, DBusFailure, count: Int)
    /// It was registered and the air has lost it; it comes back by itself.
    case didLose(Registration)
    /// It is no longer wanted and no longer there.
    case didUnregister(Registration)
  }

  /// idle -> registering, unregistering; registering -> registered, waiting, idle; registered -> unregistering,
  /// waiting, and an advertisement -> registering where another content takes its place; unregistering -> idle;
  /// waiting -> idle, unregistering. Any -> idle when the adapter goes.
  private enum State: Hashable, Sendable {
    case idle
    case registering(Attempt)
    case registered
    case unregistering(Attempt)
    /// Until `retryDue`.
    case waiting(Attempt)
  }

  private struct Entry: Sendable {
    var isWanted = true
    var state = State.idle
    /// What is registered no longer serves: to be unregistered, then registered again.
    var isStale = false
    /// bluetoothd may have it although its registration failed: it is taken back before anything else.
    var isLeftOver = false
    var failures = 0
  }

  private var station: Station?
  private var entries: [Registration: Entry] = [:]
  private var lastAttempt: Attempt = 0

  package init() {}

  /// Whether nothing is under way, nor could be: what is wanted is registered, or there is nothing to register it with.
  package var isSettled: Bool {
    entries.values.allSatisfy { entry in
      if case .registered = entry.state { entry.isWanted && !entry.isStale } else { entry.state == .idle }
    }
  }

  package func isRegistered(_ item: Registration) -> Bool {
    guard let entry = entries[item], case .registered = entry.state else { return false }
    return !entry.isStale
  }

  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .stationChanged(let station): return change(to: station)
    case .want(let item):
      entries[item, default: Entry()].isWanted = true
    case .unwant(let item):
      guard entries[item] != nil else { return [] }
      entries[item]?.isWanted = false
    case .replace(let unwanted, let wanted, let stale):
      for item in unwanted { entries[item]?.isWanted = false }
      for item in stale { markStale(item) }
      for item in wanted { entries[item, default: Entry()].isWanted = true }
    case .renew(let item): markStale(item)
    case .released(let item):
      guard entries[item]?.state == .registered else { return [] }
      return (isRegistered(item) ? [.didLose(item)] : []) + wait(for: item) + advance()
    case .registered(let item, let attempt):
      guard entries[item]?.state == .registering(attempt) else { return [] }
      entries[item]?.state = .registered
      entries[item]?.failures = 0
      let entry = entries[item]
      guard entry?.isWanted == true, entry?.isStale == false else { return advance() }
      return [.didRegister(item)] + advance()
    case .failed(let item, let attempt, let failure):
      guard let entry = entries[item], entry.state == .registering(attempt) else { return [] }
      entries[item]?.isLeftOver = failure.mayLeaveRegistration
      guard entry.isWanted else {
        entries[item]?.state = .idle
        return advance()
      }
      return [.didFail(item, failure, count: entry.failures + 1)] + wait(for: item) + advance()
    case .unregistered(let item, let attempt):
      guard entries[item]?.state == .unregistering(attempt) else { return [] }
      entries[item]?.state = .idle
    case .retryDue(let item, let attempt):
      guard entries[item]?.state == .waiting(attempt) else { return [] }
      entries[item]?.state = .idle
    }
    return advance()
  }

  private mutating func markStale(_ item: Registration) {
    switch entries[item]?.state {
    case .registered, .registering: entries[item]?.isStale = true
    case .idle, .unregistering, .waiting, nil: break
    }
  }

  private mutating func change(to new: Station?) -> [Action] {
    let old = station
    station = new
    var actions: [Action] = []
    for item in items where entries[item]?.state != .idle {
      let wasOnAir = isRegistered(item)
      if new?.adapter != old?.adapter {
        // bluetoothd forgets everything with its adapter, and on its own end.
        entries[item]?.state = .idle
        entries[item]?.isStale = false
        entries[item]?.isLeftOver = false
        entries[item]?.failures = 0
        if wasOnAir { actions.append(.didLose(item)) }
      } else if item.needsPower, old?.isPowered == true, new?.isPowered == false {
        // The kernel drops the advertisement and bluetoothd believes that it still has it.
        entries[item]?.isStale = true
        if wasOnAir { actions.append(.didLose(item)) }
      } else if case .waiting = entries[item]?.state, new?.isPowered == true, old?.isPowered == false {
        // What it waited for has come.
        entries[item]?.state = .idle
        entries[item]?.failures = 0
      }
    }
    return actions + advance()
  }

  /// Backs off after one more failure.
  private mutating func wait(for item: Registration) -> [Action] {
    lastAttempt += 1
    entries[item]?.state = .waiting(lastAttempt)
    entries[item]?.isStale = false
    entries[item]?.failures += 1
    return [.retry(item, lastAttempt, after: Self.delay(after: entries[item]?.failures ?? 1))]
  }

  /// 100 ms, doubled with each failure, at most 5 s.
  package static func delay(after failures: Int) -> Duration {
    .milliseconds(min(5000, 100 << min(failures - 1, 10)))
  }

  /// Services before advertisements, each in the order of their numbers.
  private var items: [Registration] {
    entries.keys.sorted { left, right in
      switch (left, right) {
      case (.application(let left), .application(let right)): left < right
      case (.advertisement(let left), .advertisement(let right)): left < right
      case (.application, .advertisement): true
      case (.advertisement, .application): false
      }
    }
  }

  /// Starts everything that is due; what is to go is told before anything that comes.
  private mutating func advance() -> [Action] {
    var going: [Action] = []
    var coming: [Action] = []
    for item in items {
      guard let entry = entries[item] else { continue }
      switch entry.state {
      case .idle:
        if let station, entry.isLeftOver {
          going.append(unregister(item, on: station))
        } else if !entry.isWanted {
          entries[item] = nil
          going.append(.didUnregister(item))
        } else if let station, mayRegister(item, on: station) {
          coming.append(register(item, on: station))
        }
      case .registered:
        guard let station, !entry.isWanted || (entry.isStale && mayReplace(item, on: station)) else { continue }
        going.append(unregister(item, on: station))
        // bluetoothd takes calls in order, so the next may follow at once: the shortest gap on the air.
        if entry.isWanted, item.needsPower, mayRegister(item, on: station) {
          coming.append(register(item, on: station))
        }
      case .waiting:
        guard !entry.isWanted else { continue }
        if let station, entry.isLeftOver {
          going.append(unregister(item, on: station))
        } else {
          entries[item] = nil
          going.append(.didUnregister(item))
        }
      case .registering, .unregistering: continue
      }
    }
    return going + coming
  }

  private mutating func register(_ item: Registration, on station: Station) -> Action {
    lastAttempt += 1
    entries[item]?.state = .registering(lastAttempt)
    entries[item]?.isStale = false
    return .register(item, on: station.adapter, lastAttempt)
  }

  private mutating func unregister(_ item: Registration, on station: Station) -> Action {
    lastAttempt += 1
    entries[item]?.state = .unregistering(lastAttempt)
    entries[item]?.isLeftOver = false
    return .unregister(item, on: station.adapter, lastAttempt)
  }

  /// Old and new advertisements must not be on the air together: while an old one is still on its way there, nothing
  /// new is sent after it.
  private func mayRegister(_ item: Registration, on station: Station) -> Bool {
    guard mayReplace(item, on: station) else { return false }
    return !item.needsPower
      || entries.allSatisfy { other, entry in
        guard other != item, other.needsPower, case .registering = entry.state else { return true }
        return entry.isWanted && !entry.isStale
      }
  }

  /// A central must not find the peripheral before its services.
  private func mayReplace(_ item: Registration, on station: Station) -> Bool {
    guard item.needsPower else { return true }
    guard station.isPowered else { return false }
    return entries.allSatisfy { other, entry in
      guard !other.needsPower, entry.isWanted else { return true }
      switch entry.state {
      case .registered, .waiting: return true
      case .idle, .registering, .unregistering: return false
      }
    }
  }
}

extension DBusFailure {
  /// Whether bluetoothd may have the registration all the same: it was slow to answer, or it still has an older one.
  fileprivate var mayLeaveRegistration: Bool {
    switch self {
    case .timedOut: true
    case .remote(let error): error.name == "org.bluez.Error.AlreadyExists"
    case .cannotConnect, .disconnected, .cancelled, .refused: false
    }
  }
}
