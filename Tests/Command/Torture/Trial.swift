import BleperaAir
import BleperaAppLink
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import BusTesting
import Glibc
import Synchronization

/// One trial: a phone, an app and centrals of their own on a radio of their own; load, a kill, recovery, checks.
final class Trial: Sendable {
  /// The result of a trial.
  struct Outcome: Sendable {
    var seed: UInt64
    var victim: TrialPlan.Victim
    var acknowledged = 0
    var lost = 0
    var invented = 0
    var isHalfSaved = false
    /// The failure; nil if all checks passed.
    var failure: String?
    var trace: [String] = []
  }

  struct Shared {
    var log = OperationLog()
    var trace: [String] = []
    var isKilled = false
    var lost = 0
    var invented = 0
    var isHalfSaved = false
    /// The app's and the system's, as long as they are to live.
    var app: ChildProcess?
    var system: ChildProcess?
    /// The processes that may end by themselves.
    var others: [ChildProcess] = []
    /// The subscriptions of the centrals, as the centrals know them.
    var subscribed: Set<OperationLog.Subscription> = []
  }

  let plan: TrialPlan
  let shared = Mutex(Shared())
  private let start = ContinuousClock.now
  private let loops: (server: EventLoop, centrals: EventLoop)
  private let bus: PrivateBus
  let phone: TestedPhone

  init(plan: TrialPlan, folder: String, binary: String, loops: (server: EventLoop, centrals: EventLoop)) throws {
    self.plan = plan
    self.loops = loops
    bus = try PrivateBus()
    phone = try TestedPhone(folder: folder, binary: binary, bus: bus.address, loop: loops.centrals)
  }

  func run() async -> Outcome {
    var outcome = Outcome(seed: plan.seed, victim: plan.victim)
    var server: BlueZServer?
    var centrals: [TestedCentral] = []
    do {
      var options = BlueZServer.Options.adapters(TortureProfile.centrals + 1)
      options.behavior = plan.behavior
      options.conditions = AirConditions(latency: plan.latency, interval: .zero)
      options.seed = plan.seed
      server = try await BlueZServer.open(bus.address, on: loops.server, options: options)
      for number in 0..<TortureProfile.centrals {
        centrals.append(try await TestedCentral(number: number, bus: bus.address, loop: loops.centrals))
      }
      try await play(centrals)
    } catch {
      outcome.failure = "\(error)"
    }
    await phone.killAll()
    await reap()
    for central in centrals { await central.close() }
    await server?.close()
    shared.withLock { shared in
      outcome.acknowledged = shared.log.acknowledged
      outcome.lost = shared.lost
      outcome.invented = shared.invented
      outcome.isHalfSaved = shared.isHalfSaved
      outcome.trace = shared.trace
    }
    return outcome
  }

  private func play(_ centrals: [TestedCentral]) async throws {
    let (system, app) = (try phone.startSystem(), nil as ChildProcess?)
    shared.withLock { ($0.system, $0.app) = (system, app) }
    try await Polling.wait(for: "running phone") { await self.phone.status()?.radio == .poweredOn }
    let served = try phone.startApp()
    shared.withLock { $0.app = served }
    try await Polling.wait(for: "advertisement of the app") {
      await self.phone.status()?.air.advertisements.contains(where: \.isRegistered) == true
    }
    for central in centrals { try await central.connect() }
    let before = try await phone.preserved().services
    note(
      "\(plan.victim.rawValue) to be killed \(plan.delay) after operation \(plan.operation), \(plan.behavior), back by \(plan.recovery.rawValue)"
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      for central in centrals { group.addTask { await self.load(central) } }
      if plan.victim == .app { group.addTask { try await self.recoverApp() } }
      try await group.waitForAll()
    }
    try await check(centrals, before: before)
  }

  /// Ends the processes of this trial.
  private func reap() async {
    let children = shared.withLock { [$0.app, $0.system].compactMap(\.self) + $0.others }
    for child in children { note("process \(child.id) has \(await phone.end(of: child))") }
  }

  // MARK: The record

  var now: Duration { start.duration(to: .now) }

  func note(_ text: String) {
    let time = now
    shared.withLock { $0.trace.append("\(Self.text(time))  \(text)") }
  }

  private static func text(_ time: Duration) -> String {
    let microseconds = String(time / .microseconds(1))
    let whole = microseconds.split(separator: ".").first.map(String.init) ?? "0"
    return String(repeating: " ", count: max(0, 9 - whole.count)) + whole + " µs"
  }

  /// One operation, written down.
  @discardableResult
  func perform(_ operation: Operation, by central: TestedCentral) async -> Bool {
    let begin = now
    let (number, isFatal) = shared.withLock { shared in
      let number = shared.log.begin(operation, by: central.number, at: begin)
      return (number, number + 1 == plan.operation)
    }
    if isFatal { Task.detached(priority: .high) { await self.strike() } }
    var problem: String?
    do throws(DBusFailure) { try await central.perform(operation) } catch { problem = "\(error)" }
    let (end, error) = (now, problem)
    shared.withLock { shared in
      shared.log.end(number, error, at: end)
      let what = "central \(central.number)  \(operation)  \(error ?? "acknowledged")  since \(Self.text(begin))"
      shared.trace.append("\(Self.text(end))  \(what)")
    }
    return error == nil
  }

  // MARK: The kill

  /// The longest wait until the system saves, whatever centrals do.
  private static let saveLimit = Duration.milliseconds(50)

  private func strike() async {
    let end = now + plan.delay
    if plan.delay > .milliseconds(3) { try? await Task.sleep(for: plan.delay - .milliseconds(2)) }
    while now < end {}
    let (app, system) = shared.withLock { ($0.app, $0.system) }
    var targets: [ChildProcess?] = []
    switch plan.victim {
    case .app: targets = [app]
    case .system: targets = [system]
    case .both: targets = plan.isSystemFirst ? [system, app] : [app, system]
    }
    if let aim = plan.aim {
      let limit = now + Self.saveLimit
      while !phone.isHalfSaved, now < limit {}
      let end = now + aim
      while now < end {}
    }
    // Nothing may stand between what it has seen and the kill.
    let time = now
    for target in targets { target?.send(signal: SIGKILL) }
    if plan.victim != .app { shared.withLock { $0.log.systemEnd = time } }
    note("SIGKILL, since \(Self.text(time))")
    if plan.victim != .app, let system {
      _ = await phone.end(of: system)
      let isHalfSaved = phone.isHalfSaved
      shared.withLock { $0.isHalfSaved = isHalfSaved }
    }
    if plan.victim != .system, let app { _ = await phone.end(of: app) }
    shared.withLock { shared in
      if plan.victim != .app { shared.system = nil }
      if plan.victim != .system { shared.app = nil }
      shared.isKilled = true
    }
  }
}
