import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaRadio
import Synchronization

/// The leases of the adapter in use, and the applications that wait for a lease.
struct BlueZHandles {
  /// A lease that bluetoothd has been asked for.
  struct Claim {
    let number: Int
    let fence: AttributeHandle
    /// The handle that bluetoothd reports before it replies.
    fileprivate var probe: AttributeHandle?
  }

  /// idle -> claiming, pausing; claiming -> idle; pausing -> idle.
  private enum Phase {
    case idle
    case claiming(Claim)
    /// The leases wait after a failure.
    case pausing
  }

  enum Outcome: Hashable, Sendable {
    case leased
    /// bluetoothd has refused the lease, and another lease has to be requested.
    case refused
    case failed(RadioFailure)
  }

  /// The number of failed registrations in a row after which an application gets other handles: an application that has
  /// just been removed may still have them.
  private static let evadedFailure = 3
  /// The limit for fences in a row: a program that chooses its handles itself may have the handle of a fence.
  private static let fenceLimit = 16

  /// The UUID of services that only lease handles.
  let uuid = BluetoothUUID(bits: .random(in: 0...UInt128.max))
  private(set) var leases = HandleLeases()
  /// The adapter that the leases belong to.
  private(set) var adapter: ObjectPath?
  private(set) var target: RegistrationMachine.Target?
  /// The claim for `adapter`, held while the adapter is in use.
  private var adapterClaim: (any AdapterClaim)?
  private var phase = Phase.idle
  /// Whether the registration machine receives the target once nothing waits.
  private(set) var holdsTarget = false
  /// The applications to register, by number, with the applications to be unregistered before.
  private var waiting: [Int: [Int]] = [:]
  private var lastClaim = 0
  /// The number of fences in a row that bluetoothd has refused.
  private var refusedFences = 0
  private var failures = 0
  /// The applications that get other handles because bluetoothd has refused theirs.
  private var evading: Set<Int> = []
  /// The applications that have got other handles because bluetoothd refused theirs.
  private var evaded: Set<Int> = []

  /// Whether a registration waits for a lease.
  var isLeasing: Bool { target != nil && !waiting.isEmpty }

  var isIdle: Bool { if case .idle = phase { true } else { false } }

  /// Whether advertisements wait for applications.
  var expectsApplications: Bool { if case .pausing = phase { false } else { !waiting.isEmpty } }

  var needsAdapterClaim: Bool { !waiting.isEmpty && adapterClaim == nil }

  // MARK: The adapter

  /// - Returns: whether the adapter of the leases is not in use any more: with it bluetoothd forgets which handles it
  ///   has given.
  mutating func use(_ new: RegistrationMachine.Target?, isPresent: (ObjectPath) -> Bool) -> Bool {
    target = new
    guard let adapter, !isPresent(adapter) || new.map({ $0.adapter != adapter }) ?? false else { return false }
    (self.adapter, adapterClaim, phase) = (nil, nil, .idle)
    return true
  }

  mutating func begin(on adapter: ObjectPath, with applications: [Int]) {
    self.adapter = adapter
    (refusedFences, failures, holdsTarget) = (0, 0, true)
    for number in applications where waiting[number] == nil { waiting[number] = [] }
  }

  mutating func restore(_ ranges: [HandleLeases.Range]) { leases = HandleLeases(ranges: ranges) }

  mutating func hold(_ claim: any AdapterClaim) { adapterClaim = claim }

  mutating func releaseTarget() { holdsTarget = false }

  // MARK: Applications

  /// The applications that wait for a lease, in order.
  var waitingApplications: [Int] { waiting.keys.sorted() }

  mutating func wait(_ number: Int, after predecessors: [Int]) { waiting[number] = predecessors }

  /// - Returns: the applications to be unregistered before; nil if the application does not wait.
  mutating func stopWaiting(_ number: Int) -> [Int]? { waiting.removeValue(forKey: number) }

  func predecessors(of number: Int) -> [Int] { waiting[number] ?? [] }

  mutating func moved(_ number: Int, to new: Int) {
    if evading.remove(number) != nil { evaded.insert(new) }
  }

  func mayEvade(_ number: Int, failures: Int) -> Bool { failures == Self.evadedFailure && !evaded.contains(number) }

  mutating func evade(_ number: Int, _ ranges: [HandleLeases.Range]) {
    for range in ranges { leases.giveUp(range) }
    evading.insert(number)
    waiting[number] = []
  }

  mutating func forget(_ number: Int) {
    evading.remove(number)
    evaded.remove(number)
  }

  // MARK: Claims

  /// - Returns: nil where other programs have the handles.
  mutating func claim(for wanted: [HandleLeases.Range], and count: Int) -> Claim? {
    guard refusedFences < Self.fenceLimit,
      let fence = leases.fence(for: wanted, and: count, failures: refusedFences)
    else { return nil }
    lastClaim += 1
    let claim = Claim(number: lastClaim, fence: fence)
    phase = .claiming(claim)
    return claim
  }

  mutating func noteProbe(_ handle: AttributeHandle, of number: Int) {
    guard case .claiming(var claim) = phase, claim.number == number else { return }
    claim.probe = handle
    phase = .claiming(claim)
  }

  /// - Returns: nil for a claim that an adapter's loss has ended.
  mutating func finish(_ number: Int, _ result: Result<[DBusValue], DBusFailure>) -> Outcome? {
    guard case .claiming(let claim) = phase, claim.number == number else { return nil }
    phase = .idle
    switch (result, claim.probe) {
    case (.success, let probe?) where probe < claim.fence:
      leases.add(probe...claim.fence)
      (refusedFences, failures) = (0, 0)
      return .leased
    case (.success, let probe?): leases.refuse(probe: probe)
    case (.failure(let failure), let probe?) where failure.isRefusedEntry:
      leases.refuse(probe: probe)
      if probe < claim.fence { refusedFences += 1 }
    case (.success, nil): return .failed(RadioFailure("bluetoothd has not reported the handle of a service"))
    case (.failure(let failure), _): return .failed(RadioFailure(failure))
    }
    return .refused
  }

  /// - Returns: the number of failures in a row, from 1; the leases pause.
  mutating func fail() -> Int {
    failures += 1
    refusedFences = 0
    phase = .pausing
    return failures
  }

  mutating func resume() { phase = .idle }
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

  /// A memory for phones that all run in this process.
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

extension DBusFailure {
  /// Whether bluetoothd has not added a service: its handles are not free, or its UUID is one of bluetoothd's own.
  var isRefusedEntry: Bool {
    guard case .remote(let error) = self else { return false }
    return error.bluez == .failed && error.message == "Failed to create entry in database"
  }
}
