import AppLink
import BlueZ
import Control
import EventLoop
import EventTrace
import GATT
import Policy
import Profile
import ProfileApp
import SimulatedRadio
import Synchronization
import System
import VirtualBlueZ

/// A phone of a trace, with its apps, on a simulated air.
actor ReplayedPhone {
  private struct Installed {
    let app: ReplayedApp
    let seed: UInt64
    /// To ask what its values are.
    let machine: ProfileMachine
    /// When it was launched last.
    var launch: Duration?
  }

  nonisolated let loop: VirtualLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  nonisolated let address: DeviceAddress
  private nonisolated let air: SimulatedAir
  private nonisolated let adapter: AdapterID
  private nonisolated let number: Int
  private nonisolated let header: TraceHeader
  private nonisolated let log: ReplayLog
  private nonisolated let place = RadioPlace()
  private var installed: [String: Installed] = [:]

  private(set) lazy var system = System(
    loop: loop, rules: IOSVersion(rawValue: header.ios).map { RuleSet($0) } ?? .newest,
    launcher: ReplayLauncher { [weak self] app in
      self?.assumeIsolated { $0.start(app.bundleIdentifier, into: .relaunched) } ?? false
    }
  ) { [weak self] event, app in
    self?.assumeIsolated { $0.hear(EventRecord(event, of: app)) }
  }

  /// How far from a change of a value it may have been read before or after it.
  private static let jitter = Duration.milliseconds(100)
  private static let jitterSteps = 20

  /// - Parameter apps: in the header's order.
  init(
    number: Int, header: TraceHeader, apps: [ReplayedApp], air: SimulatedAir, adapter: AdapterID,
    address: DeviceAddress, loop: VirtualLoop, log: ReplayLog
  ) {
    (self.number, self.header, self.air, self.adapter, self.address) = (number, header, air, adapter, address)
    (self.loop, self.log) = (loop, log)
    for (place, app) in apps.enumerated() {
      let seed = TraceHeader.seed(header.seed, phone: number, app: place)
      installed[app.identifier] = Installed(
        app: app, seed: seed, machine: ProfileMachine(profile: app.profile, name: app.name, seed: seed))
    }
  }

  func start() async throws {
    let pairing = header.pairing.flatMap { PairingMode(rawValue: $0) } ?? .justWorks
    try await system.start { [air, adapter, place] report in
      let radio = SimulatedRadio(air: air, adapter: adapter, pairing: pairing, report: report)
      place.radio.withLock { $0 = radio }
      return radio
    }
  }

  func ask(_ request: ControlRequest) async { _ = await system.perform(request) }

  /// The user taps its icon, or has done so and left.
  func launch(_ app: String) { _ = start(app, into: header.launch == "background" ? .leftForeground : .foreground) }

  /// Done to the machine's adapter, not to the phone.
  nonisolated func switchPower(on isOn: Bool) {
    _ = place.radio.withLock { $0 }?.assumeIsolated { $0.switchPower(on: isOn) { _ in } }
  }

  /// How often characteristics send a value by themselves.
  nonisolated static func periods(of app: ReplayedApp, phone: Int) -> [ValueKey: Duration] {
    let machine = ProfileMachine(profile: app.profile, name: app.name, seed: 0)
    var periods: [ValueKey: Duration] = [:]
    for service in app.profile.services {
      for characteristic in service.characteristics {
        let (service, uuid) = (service.definition.uuid, characteristic.definition.uuid)
        guard let generator = machine.generator(of: service, uuid), generator.interval > .zero else { continue }
        let key = ValueKey(phone: phone, app: app.identifier, service: "\(service)", characteristic: "\(uuid)")
        periods[key] = generator.interval
      }
    }
    return periods
  }

  private func start(_ identifier: String, into mode: LaunchMode) -> Bool {
    guard let app = installed[identifier] else { return false }
    installed[identifier]?.launch = loop.now
    let ends = makeInMemoryLink()
    let process = ProfileApp(
      loop: loop, profile: app.app.profile, name: app.app.name, seed: app.seed, link: ends.app)
    let system = system
    Task(executorPreference: loop) { await system.attach(ends.system, into: mode) }
    Task(executorPreference: loop) { await process.run() }
    return true
  }

  private func hear(_ record: EventRecord) {
    log.add(Moment(time: loop.now, phone: number, record, alternatives: alternatives(to: record)))
  }

  /// What a read would have been answered with a little earlier or later.
  private func alternatives(to record: EventRecord) -> [String] {
    guard record.event == "read", record.cached == false, record.descriptor == nil, record.error == nil,
      let app = record.app.flatMap({ installed[$0] }), let launch = app.launch,
      let service = record.service.flatMap({ BluetoothUUID($0) }),
      let characteristic = record.characteristic.flatMap({ BluetoothUUID($0) }),
      let generator = app.machine.generator(of: service, characteristic)
    else { return [] }
    let age = loop.now - launch
    let moments = (-Self.jitterSteps...Self.jitterSteps).map { age + Self.jitter * $0 / Self.jitterSteps }
    let values = moments.filter { $0 >= .zero }
      .map { Hex.string(generator.value($0).dropFirst(record.offset ?? 0)) }
    return Set(values).filter { $0 != record.value }.sorted()
  }
}

/// Where the radio of a phone is found once there is one.
private final class RadioPlace: Sendable {
  let radio = Mutex<SimulatedRadio?>(nil)
}

/// Starts the apps of a phone again.
private final class ReplayLauncher: AppLauncher {
  private let relaunch: @Sendable (AppIdentity) -> Bool

  init(_ relaunch: @escaping @Sendable (AppIdentity) -> Bool) { self.relaunch = relaunch }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> Int32? {
    guard relaunch(app) else { throw LaunchFailure(reason: "the phone has no such app") }
    return nil
  }

  func end(_ process: Int32) {}
}
