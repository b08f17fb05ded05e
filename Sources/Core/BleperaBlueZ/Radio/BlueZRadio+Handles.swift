import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaRadio

/// Leases handles from bluetoothd (`HandleLeases`) before applications are registered with them.
extension BlueZRadio {
  /// Registers everything on an adapter; nil where none is usable.
  func register(on target: RegistrationMachine.Target?) {
    if handles.use(target, isPresent: { devices.inventory.adapters[$0] != nil }) {
      cancel(.lease)
      run(.targetChanged(nil))
    }
    guard let target else { return run(.targetChanged(nil)) }
    if handles.adapter == nil {
      handles.begin(on: target.adapter, with: applications.current)
      handles.restore(memory.map { $0.memory.load($0.run) } ?? [])
    }
    if !handles.holdsTarget { run(.targetChanged(target)) }
    leaseHandles()
  }

  /// Registers the applications whose handles are leased, and asks for a lease for the others.
  ///
  /// No advertisement is registered before these applications, unless bluetoothd refuses a lease.
  func leaseHandles() {
    defer { run(.expectsApplications(handles.expectsApplications)) }
    guard let target = handles.target, handles.isIdle else { return }
    if handles.needsAdapterClaim, let claim = options.claimAdapter, let run {
      switch claim(run) {
      case .success(let claim): handles.hold(claim)
      case .failure(let other): return leaseFailed(RadioFailure(other.reason))
      }
    }
    var wanted: [HandleLeases.Range] = []
    var count = 0
    for number in handles.waitingApplications {
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
      handles.releaseTarget()
      run(.targetChanged(target))
    }
    resumeIfSettled()
  }

  private func start(_ number: Int) {
    let predecessors = handles.stopWaiting(number) ?? []
    run(.add(.application(number), after: predecessors.map { .application($0) }))
  }

  private func move(_ number: Int, to starts: [AttributeHandle]) {
    forgetSubscribers(of: number)
    guard let move = applications.move(number, to: starts) else { return }
    let predecessors = handles.predecessors(of: number) + move.predecessors + [number]
    handles.moved(number, to: move.number)
    for (from, to) in move.handles { report(.moved(from, to: to)) }
    remove(application: number)
    add(application: move.number, after: predecessors)
    start(move.number)
  }

  /// Whether an application gets other handles after failed registrations.
  func moves(_ number: Int, after failure: DBusFailure, count: Int) -> Bool {
    guard handles.mayEvade(number, failures: count), failure.isRefusedEntry,
      let application = applications.applications[number],
      application.services.allSatisfy({ notPublishable($0.definition) == nil })
    else { return false }
    handles.evade(number, application.ranges)
    rememberLeases()
    leaseHandles()
    return true
  }

  // MARK: Claims

  private func claim(for wanted: [HandleLeases.Range], and count: Int, on adapter: ObjectPath) {
    guard let claim = handles.claim(for: wanted, and: count) else {
      return leaseFailed(RadioFailure("other programs on the adapter have the attribute handles"))
    }
    let number = claim.number
    let root = Self.root.appending("handles\(number)")
    let services = [root.appending("probe"), root.appending("fence")]
    var tree = ObjectTree()
    tree.declare(root, .objectManager)
    for (service, handle) in zip(services, [0, claim.fence.rawValue]) {
      // The service is secondary, so that no central searches for it; it has a UUID of its own, because bluetoothd
      // takes a service with the UUID and the handles of another service for that service.
      tree.declare(
        service, .gattService,
        [("UUID", .string(handles.uuid.longDescription)), ("Primary", .boolean(false)), ("Handle", .uint16(handle))])
    }
    export(at: root) { [tree] this, call in
      this.respond(to: call, as: tree) { this, change in
        guard change.path == services[0], change.property == "Handle", case .uint16(let handle) = change.value else {
          return
        }
        this.handles.noteProbe(AttributeHandle(rawValue: handle), of: number)
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
    switch handles.finish(number, result) {
    case .leased: rememberLeases()
    case .refused: break
    case .failed(let failure): return leaseFailed(failure)
    case nil: return
    }
    leaseHandles()
  }

  private func leaseFailed(_ failure: RadioFailure) {
    let count = handles.fail()
    schedule(.lease, after: RegistrationMachine.delay(after: count)) { this in
      this.handles.resume()
      this.leaseHandles()
    }
    for number in handles.waitingApplications {
      for service in applications.applications[number]?.services ?? [] {
        report(.publishingFailed(service.handles.start, failure, count: count))
      }
    }
  }

  // MARK: Memory

  /// The memory, and the name of the run of bluetoothd and the adapter that the leases belong to.
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
