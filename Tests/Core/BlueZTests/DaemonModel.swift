import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus

@testable import BleperaBlueZ

/// A model of bluetoothd's registrations, as observed with 5.66, with random changes of adapters and power.
///
/// A request takes effect when it is answered. The actions of the machine are checked at each step.
struct DaemonModel {
  private struct Request: Equatable {
    let item: Registration
    let isRegistering: Bool
    let attempt: Int
    /// The adapter's generation that the request was sent to; a reply of an earlier one comes late or not at all.
    let generation: Int
  }

  private(set) var machine = RegistrationMachine()
  /// The violations found.
  private(set) var faults: [String] = []
  private(set) var registered: Set<Registration> = []
  /// The advertisements that a central would see.
  private(set) var onAir: Set<Registration> = []
  private(set) var wanted: Set<Registration> = []
  private var adapter: ObjectPath?
  private var isPowered = false
  private var generation = 0
  private var requests: [Request] = []
  private var timers: [(item: Registration, attempt: Int)] = []
  private var generator: SplitMix64
  /// The applications that each application takes over from.
  private var predecessors: [Registration: [Registration]] = [:]
  /// The applications that were removed for a successor; their numbers are never used again.
  private var replaced: Set<Registration> = []
  private var lastApplication = 2

  private static let advertisements: [Registration] = [.advertisement(1), .advertisement(2)]
  private var items: [Registration] = [.application(1), .application(2)] + Self.advertisements

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func step() {
    let item = items[Int.random(in: 0..<items.count, using: &generator)]
    switch Int.random(in: 0..<22, using: &generator) {
    case 0...2: want(item)
    case 3: unwant(item)
    case 4: feed(.refresh(item))
    case 20: merge(items.filter { !$0.isAdvertisement })
    case 21: merge(items.filter { !$0.isAdvertisement && $0 == item })
    case 5: setPower(!isPowered)
    case 6: setAdapter(nil)
    case 7, 8: setAdapter(Trace.adapter(Bool.random(using: &generator) ? "hci0" : "hci1"))
    case 9: connect()
    case 10: release(item)
    case 11...13: fireTimer()
    default: answer(failing: Int.random(in: 0..<4, using: &generator) == 0)
    }
  }

  /// Answers everything without failures; returns whether nothing was in progress at the end.
  mutating func settle() -> Bool {
    setAdapter(Trace.adapter("hci0"))
    setPower(true)
    for _ in 0..<200 {
      if requests.isEmpty && timers.isEmpty { return true }
      answer(failing: false)
      fireTimer()
    }
    return false
  }

  mutating func unwantAll() {
    for item in items { unwant(item) }
  }

  // MARK: What happens

  private mutating func want(_ item: Registration) {
    wanted.insert(item)
    feed(.add(item, after: predecessors[item] ?? []))
  }

  private mutating func unwant(_ item: Registration) {
    wanted.remove(item)
    feed(.remove(item))
  }

  /// Replaces applications by one with the handles of all, and adds an unrelated one.
  private mutating func merge(_ old: [Registration]) {
    guard !old.isEmpty else { return }
    for item in old { unwant(item) }
    replaced.formUnion(old)
    lastApplication += 2
    let new = Registration.application(lastApplication - 1)
    predecessors[new] = Array(replaced)
    wanted.insert(new)
    feed(.add(new, after: Array(replaced).sorted()))
    items = items.filter { !old.contains($0) } + [new]
    if items.count < 4 { items.append(.application(lastApplication)) }
  }

  private mutating func setPower(_ power: Bool) {
    guard adapter != nil, power != isPowered else { return }
    isPowered = power
    // The kernel drops the advertisements, the daemon keeps the registrations.
    if !power { onAir = [] }
    reportTarget()
  }

  private mutating func setAdapter(_ new: ObjectPath?) {
    guard new != adapter else { return }
    generation += 1
    registered = []
    onAir = []
    isPowered = Bool.random(using: &generator)
    adapter = nil
    reportTarget()
    adapter = new
    reportTarget()
  }

  private mutating func connect() {
    guard isPowered, !onAir.isEmpty else { return }
    onAir = []
    for item in Self.advertisements { feed(.refresh(item)) }
  }

  private mutating func release(_ item: Registration) {
    guard item.isAdvertisement, registered.remove(item) != nil else { return }
    onAir.remove(item)
    feed(.released(item))
  }

  private mutating func fireTimer() {
    guard !timers.isEmpty else { return }
    let timer = timers.remove(at: Int.random(in: 0..<timers.count, using: &generator))
    feed(.retryDue(timer.item, timer.attempt))
  }

  /// Answers one request: those of the current generation in order, those of earlier ones at any time.
  private mutating func answer(failing: Bool) {
    guard !requests.isEmpty else { return }
    let stale = requests.indices.filter { requests[$0].generation != generation }
    let isLate = !stale.isEmpty && Bool.random(using: &generator)
    guard
      let place = isLate
        ? stale.randomElement(using: &generator) : requests.firstIndex(where: { $0.generation == generation })
    else { return requests.removeAll { $0.generation != generation } }
    let request = requests.remove(at: place)
    if isLate {
      let answers: [RegistrationMachine.Event] = [
        .registered(request.item, request.attempt), .unregistered(request.item, request.attempt),
        .failed(request.item, request.attempt, .disconnected),
      ]
      feed(answers[Int.random(in: 0..<3, using: &generator)])
    } else if request.isRegistering {
      feed(register(request, failing: failing))
    } else {
      registered.remove(request.item)
      onAir.remove(request.item)
      feed(.unregistered(request.item, request.attempt))
    }
  }

  private mutating func register(_ request: Request, failing: Bool) -> RegistrationMachine.Event {
    func failed(_ name: ErrorName) -> RegistrationMachine.Event {
      .failed(request.item, request.attempt, .remote(DBusErrorReply(name: name, message: "")))
    }
    if registered.contains(request.item) { return failed("org.bluez.Error.AlreadyExists") }
    if request.item.isAdvertisement && !isPowered { return failed("org.bluez.Error.Failed") }
    let isSlow = failing && Bool.random(using: &generator)
    if failing && !isSlow { return failed("org.bluez.Error.Failed") }
    registered.insert(request.item)
    if request.item.isAdvertisement { onAir.insert(request.item) }
    return isSlow
      ? .failed(request.item, request.attempt, .timedOut(.seconds(10))) : .registered(request.item, request.attempt)
  }

  // MARK: What the machine does

  private mutating func reportTarget() {
    feed(.targetChanged(adapter.map { .init(adapter: $0, isPowered: isPowered) }))
  }

  private mutating func feed(_ event: RegistrationMachine.Event) {
    for action in machine.handle(event) {
      switch action {
      case .register(let item, let adapter, let attempt):
        if item.isAdvertisement && !isPowered { faults.append("\(event): \(item) is registered without power") }
        let left = Set(predecessors[item] ?? [])
        if !left.isDisjoint(with: registered)
          || requests.contains(where: { $0.generation == generation && left.contains($0.item) })
        {
          faults.append("\(event): \(item) is registered before its predecessors are unregistered")
        }
        send(
          Request(item: item, isRegistering: true, attempt: attempt, generation: generation), to: adapter, after: event)
      case .unregister(let item, let adapter, let attempt):
        send(
          Request(item: item, isRegistering: false, attempt: attempt, generation: generation), to: adapter, after: event
        )
      case .retry(let item, let attempt, _): timers.append((item, attempt))
      case .didRegister(let item):
        if !wanted.contains(item) { faults.append("\(event): \(item) is reported as registered after its removal") }
      case .didFail(let item, _, let count):
        if count < 1 || !wanted.contains(item) { faults.append("\(event): \(item) failed \(count) times") }
      case .didUnregister(let item):
        if wanted.contains(item) { faults.append("\(event): \(item) is reported as unregistered without a removal") }
      case .didLose: break
      }
    }
  }

  private mutating func send(_ request: Request, to adapter: ObjectPath, after event: RegistrationMachine.Event) {
    if adapter != self.adapter { faults.append("\(event): \(request) to \(adapter)") }
    let pending = requests.filter { $0.item == request.item && $0.generation == generation }
    // The registration of an advertisement may follow the unregistration of the one that it replaces.
    let isReplacement = request.isRegistering && request.item.isAdvertisement && pending.map(\.isRegistering) == [false]
    if !pending.isEmpty && !isReplacement {
      faults.append("\(event): two requests at a time for \(request.item)")
    }
    requests.append(request)
  }
}
