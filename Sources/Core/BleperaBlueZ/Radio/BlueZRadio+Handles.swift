import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio
import Synchronization

/// The leases of the adapter in use, and the applications that wait for a lease.
struct BlueZHandles {
  /// A lease that bluetoothd has been asked for.
  struct Claim {
    let number: Int
    let fence: AttributeHandle
    /// Reported by bluetoothd before it replies.
    var probe: AttributeHandle?
  }

  var leases = HandleLeases()
  /// The adapter that the leases belong to.
  var adapter: ObjectPath?
  /// Held for the adapter.
  var adapterClaim: (any AdapterClaim)?
  var target: RegistrationMachine.Target?
  /// Whether the registration machine receives the target once nothing waits.
  var holdsTarget = false
  /// The applications to register, by number, with those to be unregistered before.
  var waiting: [Int: [Int]] = [:]
  var claim: Claim?
  var lastClaim = 0
  /// The number of fences in a row that bluetoothd has refused.
  var refusedFences = 0
  var failures = 0
  /// The applications that get other handles because bluetoothd has refused theirs.
  var evading: Set<Int> = []
  /// Those that have got other handles for that reason.
  var evaded: Set<Int> = []
}

/// The right of one phone to an adapter, until it is released.
package protocol AdapterClaim: Sendable {}

/// Another phone has the adapter.
package struct AdapterInUse: Error {
  /// A phrase.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// Where leases are kept for the phone's next process.
package struct HandleMemory: Sendable {
  /// The leases of an adapter in a run of bluetoothd; empty if unknown.
  package var load: @Sendable (_ run: String) -> [HandleLeases.Range]
  package var save: @Sendable (_ run: String, [HandleLeases.Range]) -> Void

  package init(
    load: @escaping @Sendable (_ run: String) -> [HandleLeases.Range],
    save: @escaping @Sendable (_ run: String, [HandleLeases.Range]) -> Void
  ) {
    self.load = load
    self.save = save
  }

  /// For phones whose processes are this one.
  package static var inMemory: HandleMemory {
    let leases = Leases()
    return HandleMemory(
      load: { run in leases.all.withLock { $0[run] ?? [] } },
      save: { run, ranges in leases.all.withLock { $0[run] = ranges } })
  }

  private final class Leases: Sendable {
    let all = Mutex<[String: [HandleLeases.Range]]>([:])
  }
}

/// Leases handles from bluetoothd (`HandleLeases`) before applications are registered with them.
extension BlueZRadio {
  /// The number of failed registrations in a row after which an application gets other handles: an application that has
  /// just been removed may still have them.
  private static let evadedFailure = 3
  /// Another program that chooses its handles itself may have a fence's.
  private static let fenceLimit = 16

  /// Whether a registration waits for a lease.
  var isLeasingHandles: Bool { handles.target != nil && !handles.waiting.isEmpty }

  /// Registers everything on an adapter; nil where none is usable.
  func register(on target: RegistrationMachine.Target?) {
    handles.target = target
    // With the adapter bluetoothd forgets which handles it has given.
    if let adapter = handles.adapter,
      devices.inventory.adapters[adapter] == nil || target.map({ $0.adapter != adapter }) ?? false
    {
      handles.adapter = nil
      handles.adapterClaim = nil
      handles.claim = nil
      cancel(.lease)
      run(.targetChanged(nil))
    }
    guard let target else { return run(.targetChanged(nil)) }
    if handles.adapter == nil {
      handles.adapter = target.adapter
      (handles.refusedFences, handles.failures) = (0, 0)
      handles.leases = HandleLeases(ranges: memory.map { $0.memory.load($0.run) } ?? [])
      handles.holdsTarget = true
      for number in applications.current where handles.waiting[number] == nil { handles.waiting[number] = [] }
    }
    if !handles.holdsTarget { run(.targetChanged(target)) }
    leaseHandles()
  }

  /// Registers the applications whose handles are leased, and asks for a lease for the others.
  ///
  /// No advertisement is registered before them, unless bluetoothd refuses a lease.
  func leaseHandles() {
    defer { run(.expectsApplications(!handles.waiting.isEmpty && !isScheduled(.lease))) }
    guard let target = handles.target, handles.claim == nil, !isScheduled(.lease) else { return }
    if !handles.waiting.isEmpty, handles.adapterClaim == nil, let claim = options.claimAdapter, let run {
      switch claim(run) {
      case .success(let claim): handles.adapterClaim = claim
      case .failure(let other): return leaseFailed(RadioFailure(other.reason))
      }
    }
    var wanted: [HandleLeases.Range] = []
    var count = 0
    for number in handles.waiting.keys.sorted() {
      guard let application = applications.applications[number] else { continue }
      let ranges = application.ranges
      switch handles.leases.standing(of: ranges) {
      case .leased: start(number)
      case .available: wanted += ranges
      case .taken:
        let sizes = ranges.map { Int($0.upperBound.rawValue) - Int($0.lowerBound.rawValue) + 1 }
        if let places = handles.leases.places(for: sizes, avoiding: applications.ranges(except: number)) {
          move(number, to: places)
        } else {
          count += sizes.reduce(0, +)
        }
      }
    }
    guard wanted.isEmpty, count == 0 else { return claim(for: wanted, and: count, on: target.adapter) }
    if handles.holdsTarget {
      handles.holdsTarget = false
      run(.targetChanged(target))
    }
    resumeIfSettled()
  }

  private func start(_ number: Int) {
    let predecessors = handles.waiting.removeValue(forKey: number) ?? []
    run(.add(.application(number), after: predecessors.map { .application($0) }))
  }

  private func move(_ number: Int, to starts: [AttributeHandle]) {
    forgetSubscribers(of: number)
    guard let move = applications.move(number, to: starts) else { return }
    let predecessors = (handles.waiting[number] ?? []) + move.predecessors + [number]
    if handles.evading.remove(number) != nil { handles.evaded.insert(move.number) }
    for (from, to) in move.handles { report(.moved(from, to: to)) }
    remove(application: number)
    add(application: move.number, after: predecessors)
    start(move.number)
  }

  /// Whether an application gets other handles after failed registrations.
  func moves(_ number: Int, after failure: DBusFailure, count: Int) -> Bool {
    guard count == Self.evadedFailure, failure.isRefusedEntry, !handles.evaded.contains(number),
      let application = applications.applications[number],
      application.services.allSatisfy({ notPublishable($0.definition) == nil })
    else { return false }
    for range in application.ranges { handles.leases.giveUp(range) }
    rememberLeases()
    handles.evading.insert(number)
    handles.waiting[number] = []
    leaseHandles()
    return true
  }

  // MARK: Claims

  private func claim(for wanted: [HandleLeases.Range], and count: Int, on adapter: ObjectPath) {
    guard handles.refusedFences < Self.fenceLimit,
      let fence = handles.leases.fence(for: wanted, and: count, failures: handles.refusedFences)
    else { return leaseFailed(RadioFailure("other programs on the adapter have the attribute handles")) }
    handles.lastClaim += 1
    let number = handles.lastClaim
    handles.claim = BlueZHandles.Claim(number: number, fence: fence)
    let root = Self.root.appending("handles\(number)")
    let services = [root.appending("probe"), root.appending("fence")]
    var tree = ObjectTree()
    tree.declare(root, .objectManager)
    for (service, handle) in zip(services, [0, fence.rawValue]) {
      // Secondary, which no central searches for; a UUID of its own, because bluetoothd takes a service with the UUID and
      // the handles of another for that one.
      tree.declare(
        service, .gattService,
        [("UUID", .string(leaseUUID.longDescription)), ("Primary", .boolean(false)), ("Handle", .uint16(handle))])
    }
    export(at: root) { [tree] this, call in
      this.respond(to: call, as: tree) { this, change in
        guard this.handles.claim?.number == number, change.path == services[0], change.property == "Handle",
          case .uint16(let handle) = change.value
        else { return }
        this.handles.claim?.probe = AttributeHandle(rawValue: handle)
      } _: { this in
        let path = call.call.path
        this.reply(call, .failure(DBusErrorReply(name: .unknownMethod, message: "\(path) has no such method")))
      }
    }
    let call = MethodCall.toDaemon(
      at: adapter, BlueZName.gattManager, "RegisterApplication", [.objectPath(root), .properties([])])
    start(call, timeout: Self.registrationTimeout) { this, result in
      this.remove(services, of: root, on: adapter)
      this.finishClaim(number, result)
    }
  }

  /// bluetoothd removes a service of an object that is removed at once, and an application's some time after its reply.
  private func remove(_ services: [ObjectPath], of root: ObjectPath, on adapter: ObjectPath) {
    for service in services {
      let signal = Signal(
        path: root, interface: .objectManager, member: "InterfacesRemoved",
        arguments: [.objectPath(service), .strings([BlueZName.gattService.rawValue])])
      connection.assumeIsolated { try? $0.emit(signal) }
    }
    start(.toDaemon(at: adapter, BlueZName.gattManager, "UnregisterApplication", [.objectPath(root)]))
    unexport(at: root)
  }

  private func finishClaim(_ number: Int, _ result: Result<[DBusValue], DBusFailure>) {
    guard let claim = handles.claim, claim.number == number else { return }
    handles.claim = nil
    switch (result, claim.probe) {
    case (.success, let probe?) where probe < claim.fence:
      handles.leases.add(probe...claim.fence)
      (handles.refusedFences, handles.failures) = (0, 0)
      rememberLeases()
    case (.success, let probe?): handles.leases.refuse(probe: probe)
    case (.failure(let failure), let probe?) where failure.isRefusedEntry:
      handles.leases.refuse(probe: probe)
      if probe < claim.fence { handles.refusedFences += 1 }
    case (.success, nil): return leaseFailed(RadioFailure("bluetoothd has not reported the handle of a service"))
    case (.failure(let failure), _): return leaseFailed(RadioFailure(failure))
    }
    leaseHandles()
  }

  private func leaseFailed(_ failure: RadioFailure) {
    handles.failures += 1
    let count = handles.failures
    handles.refusedFences = 0
    schedule(.lease, after: RegistrationMachine.delay(after: count)) { $0.leaseHandles() }
    for number in handles.waiting.keys.sorted() {
      for service in applications.applications[number]?.services ?? [] {
        report(.publishingFailed(service.handles.start, failure, count: count))
      }
    }
  }

  // MARK: Memory

  /// The memory, and the run of bluetoothd and the adapter that the leases belong to: both names are of one run of the
  /// bus.
  private var memory: (memory: HandleMemory, run: String)? {
    guard let memory = options.handleMemory, let run else { return nil }
    return (memory, run)
  }

  /// Names the run of bluetoothd and the adapter in use.
  private var run: String? { handles.adapter.flatMap { daemon.run(of: $0) } }

  private func rememberLeases() {
    if let memory { memory.memory.save(memory.run, handles.leases.ranges) }
  }
}

extension DBusFailure {
  /// Whether bluetoothd has not added a service: its handles are not free, or its UUID is one of bluetoothd's own.
  var isRefusedEntry: Bool {
    guard case .remote(let error) = self else { return false }
    return error.bluez == .failed && error.message == "Failed to create entry in database"
  }
}
