import BleperaDBus

/// Keeps the wanted applications and advertisements registered with bluetoothd across the loss of the adapter, its
/// power or the daemon.
///
/// At most one call is in progress for each item. Attempts are numbered, so that a late reply to an attempt that the
/// loss of an adapter has ended is not mistaken for the reply to the current attempt.
///
/// At most `callLimit` calls of applications are in progress; the others wait in order.
///
/// An application that takes over attribute handles of others is registered only after bluetoothd has replied to the
/// unregistration of each of them, or never had them. bluetoothd 5.66 crashes when two registrations with the same
/// handles are in progress.
package struct RegistrationMachine: Sendable {
  /// idle -> registering, unregistering; registering -> registered, waiting, idle; registered -> unregistering,
  /// waiting, and for an advertisement with new content -> registering; unregistering -> idle; waiting -> idle,
  /// unregistering. Any -> idle when the adapter is lost.
  private enum State: Hashable, Sendable {
    case idle
    /// `isReplacing`: the registration follows the item's unregistration at once.
    case registering(Attempt, isReplacing: Bool)
    case registered
    case unregistering(Attempt)
    /// The item waits until `retryDue`.
    case waiting(Attempt)
  }

  private struct Entry: Sendable {
    var isWanted = true
    var state = State.idle
    /// The registered content is out of date: unregister, then register again.
    var isStale = false
    /// Whether the item is reported as registered: also while it is registered again.
    var isAnnounced = false
    /// bluetoothd may have the item although its registration failed: unregister before anything else.
    var mayStillBeRegistered = false
    var failures = 0
    /// The applications that must be unregistered before this one is registered.
    var predecessors: Set<Registration> = []

    /// Whether a call is in progress.
    var isCalling: Bool {
      switch state {
      case .registering, .unregistering: true
      case .idle, .registered, .waiting: false
      }
    }

    /// Whether nothing is or could be in progress.
    var isSettled: Bool {
      if case .registered = state { isWanted && !isStale } else { state == .idle }
    }

    /// Whether advertisements wait for this entry, if it is an application.
    var isUnfinished: Bool {
      switch state {
      case .registered, .waiting: false
      case .idle, .registering, .unregistering: isWanted
      }
    }
  }

  /// A stock system bus lets a connection wait for 128 replies (`max_replies_per_connection` of dbus-daemon), and for
  /// each registration bluetoothd makes at least one call itself.
  package static let callLimit = 32

  private var target: Target?
  private var entries: [Registration: Entry] = [:]
  /// The applications that wait for the unregistration of another.
  private var successors: [Registration: [Registration]] = [:]
  /// The advertisements among the entries; never more than a few.
  private var advertisements: Set<Registration> = []
  /// The number of entries that are not settled.
  private var unsettled = 0
  /// The number of wanted applications that are neither registered nor waiting after a failure.
  private var unfinished = 0
  private var expectsApplications = false
  /// The number of calls in progress for applications.
  private var calls = 0
  /// The applications that wait until fewer calls are in progress, in order, after the applications that have waited.
  private var queue: [Registration] = []
  private var queued: Set<Registration> = []
  private var lastAttempt: Attempt = 0

  package init() {}

  /// Whether nothing is or could be in progress: every wanted item is registered, or no adapter is available.
  package var isSettled: Bool { unsettled == 0 && queued.isEmpty }

  /// Whether the machine has the item, wanted or not.
  package func knows(_ item: Registration) -> Bool { entries[item] != nil }

  package func isRegistered(_ item: Registration) -> Bool {
    guard let entry = entries[item], case .registered = entry.state else { return false }
    return !entry.isStale
  }

  /// How many advertisements bluetoothd has; nil while a call for one is in progress.
  var registeredAdvertisements: Int? {
    let states = advertisements.compactMap { entries[$0] }
    return states.contains(where: \.isCalling) ? nil : states.count { $0.state == .registered }
  }

  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .targetChanged(let target): return change(to: target)
    case .expectsApplications(let expects):
      expectsApplications = expects
      return advance([])
    case .add(let item, let predecessors):
      let present = predecessors.filter { entries[$0] != nil && $0 != item }
      for predecessor in present { successors[predecessor, default: []].append(item) }
      update(item, orAdd: true) {
        $0.isWanted = true
        $0.predecessors.formUnion(present)
      }
      return advance([item])
    case .remove(let item):
      update(item) { $0.isWanted = false }
      return advance([item])
    case .replace(let removed, let wanted, let changed):
      for item in removed { update(item) { $0.isWanted = false } }
      for item in changed { markStale(item) }
      for item in wanted { update(item, orAdd: true) { $0.isWanted = true } }
      return advance(removed + wanted)
    case .refresh(let item):
      markStale(item)
      return advance([item])
    case .released(let item):
      guard entries[item]?.state == .registered else { return [] }
      return lose(item) + wait(for: item) + advance([item])
    case .registered(let item, let attempt):
      guard let entry = entries[item], case .registering(attempt, _) = entry.state else { return [] }
      update(item) {
        $0.state = .registered
        $0.failures = 0
        if $0.isWanted, !$0.isStale { $0.isAnnounced = true }
      }
      return (entry.isWanted && !entry.isStale ? [.didRegister(item)] : []) + advance([item])
    case .failed(let item, let attempt, let failure):
      guard let entry = entries[item], case .registering(attempt, let isReplacing) = entry.state else { return [] }
      // bluetoothd frees the instance of an unregistered advertisement only when it has no call left to handle
      // (`client_remove`), and refuses a replacement before that where all its instances are in use.
      let isEarly = isReplacing && failure.isFinal
      update(item) {
        $0.mayStillBeRegistered = failure.mayLeaveRegistration
        $0.isAnnounced = $0.isAnnounced && isEarly
      }
      guard entry.isWanted else {
        update(item) { $0.state = .idle }
        return advance([item])
      }
      if isEarly { return wait(for: item) + advance([item]) }
      return [.didFail(item, failure, count: entry.failures + 1)] + wait(for: item) + advance([item])
    case .unregistered(let item, let attempt):
      guard entries[item]?.state == .unregistering(attempt) else { return [] }
      update(item) { $0.state = .idle }
      return advance([item])
    case .retryDue(let item, let attempt):
      guard entries[item]?.state == .waiting(attempt) else { return [] }
      update(item) { $0.state = .idle }
      return advance([item])
    }
  }

  // MARK: Entries

  /// All changes of entries go through here, so that the counts stay correct.
  private mutating func update(_ item: Registration, orAdd: Bool = false, _ change: (inout Entry) -> Void) {
    guard var entry = entries[item] ?? (orAdd ? Entry() : nil) else { return }
    if let old = entries[item] { count(item, old, -1) }
    if item.isAdvertisement { advertisements.insert(item) }
    change(&entry)
    entries[item] = entry
    count(item, entry, 1)
  }

  private mutating func forget(_ item: Registration) {
    guard let old = entries.removeValue(forKey: item) else { return }
    count(item, old, -1)
    advertisements.remove(item)
  }

  private mutating func count(_ item: Registration, _ entry: Entry, _ sign: Int) {
    if !entry.isSettled { unsettled += sign }
    guard !item.isAdvertisement else { return }
    if entry.isUnfinished { unfinished += sign }
    if entry.isCalling { calls += sign }
  }

  private mutating func markStale(_ item: Registration) {
    switch entries[item]?.state {
    case .registered, .registering: update(item) { $0.isStale = true }
    case .idle, .unregistering, .waiting, nil: break
    }
  }

  private mutating func change(to new: Target?) -> [Action] {
    let old = target
    guard new != old else { return [] }
    target = new
    (queue, queued) = ([], [])
    var actions: [Action] = []
    let items = entries.keys.sorted()
    for item in items where entries[item]?.state != .idle {
      if new?.adapter != old?.adapter {
        // bluetoothd forgets everything when its adapter is removed or when it ends.
        update(item) {
          $0.state = .idle
          $0.isStale = false
          $0.mayStillBeRegistered = false
          $0.failures = 0
        }
        actions += lose(item)
      } else if item.isAdvertisement, old?.isPowered == true, new?.isPowered == false {
        // The kernel drops the advertisement, which bluetoothd still considers registered.
        update(item) { $0.isStale = true }
        actions += lose(item)
      } else if case .waiting = entries[item]?.state, new?.isPowered == true, old?.isPowered == false {
        // The power that the item waited for is back.
        update(item) {
          $0.state = .idle
          $0.failures = 0
        }
      }
    }
    return actions + advance(items)
  }

  private mutating func lose(_ item: Registration) -> [Action] {
    guard let entry = entries[item], entry.isAnnounced, entry.isWanted else { return [] }
    update(item) { $0.isAnnounced = false }
    return [.didLose(item)]
  }

  /// Backs off after one more failure.
  private mutating func wait(for item: Registration) -> [Action] {
    lastAttempt += 1
    let attempt = lastAttempt
    update(item) {
      $0.state = .waiting(attempt)
      $0.isStale = false
      $0.failures += 1
    }
    return [.retry(item, attempt, after: Self.delay(after: entries[item]?.failures ?? 1))]
  }

  /// 100 ms, doubled with each failure, at most 5 s.
  package static func delay(after failures: Int) -> Duration {
    .milliseconds(min(5000, 100 << min(failures - 1, 10)))
  }

  // MARK: Advancing

  /// Starts everything that is due after a change of `items`: these, the applications that waited for them or for the
  /// end of other calls, and advertisements. Removals precede additions.
  private mutating func advance(_ items: [Registration]) -> [Action] {
    var removals: [Action] = []
    var additions: [Action] = []
    var due = items.filter { !$0.isAdvertisement }.sorted()
    while !due.isEmpty {
      var left: [Registration] = []
      for item in due {
        advance(item, &removals, &additions)
        if entries[item] == nil { left.append(item) }
      }
      due = left.flatMap { release(successorsOf: $0) }.sorted()
      if due.isEmpty {
        due = Array(queue.suffix(queued.count).prefix(max(0, Self.callLimit - calls)))
        queued.subtract(due)
        if queued.isEmpty { queue = [] }
      }
    }
    for item in advertisements.sorted() { advance(item, &removals, &additions) }
    return removals + additions
  }

  /// Returns the successors of an unregistered application that wait for nothing else.
  private mutating func release(successorsOf item: Registration) -> [Registration] {
    (successors.removeValue(forKey: item) ?? []).filter { successor in
      update(successor) { $0.predecessors.remove(item) }
      return entries[successor]?.predecessors.isEmpty == true
    }
  }

  private mutating func advance(_ item: Registration, _ removals: inout [Action], _ additions: inout [Action]) {
    guard let entry = entries[item] else { return }
    guard item.isAdvertisement || calls < Self.callLimit || entry.isCalling else {
      if queued.insert(item).inserted { queue.append(item) }
      return
    }
    switch entry.state {
    case .idle:
      if let target, entry.mayStillBeRegistered {
        removals.append(unregister(item, on: target))
      } else if !entry.isWanted {
        forget(item)
        removals.append(.didUnregister(item))
      } else if let target, mayRegister(item, on: target) {
        additions.append(register(item, on: target))
      }
    case .registered:
      guard let target, !entry.isWanted || (entry.isStale && mayReplace(item, on: target)) else { return }
      removals.append(unregister(item, on: target))
      // bluetoothd handles calls in order, so the registration may follow at once: the shortest gap on the air.
      if entry.isWanted, item.isAdvertisement, mayRegister(item, on: target) {
        additions.append(register(item, on: target, isReplacing: true))
      }
    case .waiting:
      guard !entry.isWanted else { return }
      if let target, entry.mayStillBeRegistered {
        removals.append(unregister(item, on: target))
      } else {
        forget(item)
        removals.append(.didUnregister(item))
      }
    case .registering, .unregistering: return
    }
  }

  private mutating func register(_ item: Registration, on target: Target, isReplacing: Bool = false) -> Action {
    lastAttempt += 1
    let attempt = lastAttempt
    update(item) {
      $0.state = .registering(attempt, isReplacing: isReplacing)
      $0.isStale = false
    }
    return .register(item, on: target.adapter, attempt)
  }

  private mutating func unregister(_ item: Registration, on target: Target) -> Action {
    lastAttempt += 1
    let attempt = lastAttempt
    update(item) {
      $0.state = .unregistering(attempt)
      $0.mayStillBeRegistered = false
    }
    return .unregister(item, on: target.adapter, attempt)
  }

  /// Old and new advertisements must not be on the air together: no new registration is sent while an old advertisement
  /// is being registered.
  private func mayRegister(_ item: Registration, on target: Target) -> Bool {
    guard item.isAdvertisement else { return entries[item]?.predecessors.isEmpty == true }
    guard mayReplace(item, on: target) else { return false }
    return advertisements.allSatisfy { other in
      guard other != item, let entry = entries[other], case .registering = entry.state else { return true }
      return entry.isWanted && !entry.isStale
    }
  }

  /// A central must not discover the peripheral before its services are registered.
  private func mayReplace(_ item: Registration, on target: Target) -> Bool {
    guard item.isAdvertisement else { return true }
    return target.isPowered && unfinished == 0 && !expectsApplications
  }
}
