import BleperaAir
import BleperaAppLink
import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaProfile
import BleperaProfileApp
import Synchronization
import TestSupport

@testable import BleperaCLI
@testable import BleperaPhone
@testable import BleperaPreservation

/// A phone on a virtual air, with a central that is connected to it.
final class FuzzedPhone: Sendable {
  private let loop = VirtualLoop(beginning: .seconds(1_800_000_000))
  private let store = InMemoryPreservationStore()
  private let air: SharedAir
  private let system: EmulatedPhone
  private let central: VirtualCentral
  private let address: DeviceAddress
  /// The app whose lines are performed.
  private let app = Mutex<InMemoryAppLink<AppMessage, PhoneMessage>?>(nil)
  private let launcher = FuzzedLauncher()

  /// The number of lines of an input that are performed.
  private static let maximumLines = 64
  /// The number of events that are encoded and read again.
  private static let maximumEvents = 16
  /// The number of characteristics that the central uses.
  private static let maximumUse = 6

  /// - Parameter state: The state file on which the phone starts.
  init(state: [UInt8]? = nil) {
    let air = SharedAir(loop: loop, conditions: AirConditions(latency: .milliseconds(1)))
    self.air = air
    let (phone, address, adapter) = loop.perform {
      air.assumeIsolated { air in
        let phone = air.addAdapter(named: "phone")
        return (phone, air.address(of: phone), air.addAdapter(named: "central"))
      }
    }
    guard let address else { fatalError("an adapter has an address") }
    self.address = address
    if let state { store.file = state }
    let (launcher, events) = (launcher, Counter())
    system = EmulatedPhone(loop: loop, store: store, launcher: launcher) { event, app in
      // The number is limited, because reading events takes more time than everything else.
      guard events.next() <= Self.maximumEvents else { return }
      let line = JSONLine.encode(EventRecord(event, of: app))
      require(EventRecord(json: line) != nil, "an event is read as it was written")
    }
    central = VirtualCentral(air: air, adapter: adapter) { _ in }
    let started = loop.run(until: .seconds(10)) { [system, central] in
      await central.start()
      try await system.start { HostRadio(adapter: air.hosted(phone), report: $0) }
    }
    guard case .success? = started else { fatalError("a phone starts") }
    launcher.phone.withLock { $0.phone = self }
    loop.advance(by: .milliseconds(100))
  }

  // MARK: Apps

  /// - Parameter mode: The mode in which the phone launches the app; nil if the user launches it.
  func serve(_ profile: Profile, into mode: LaunchMode? = nil) {
    let ends = makeInMemoryLink()
    Task(executorPreference: loop) { [system] in await system.attach(ends.system, into: mode) }
    let app = ProfileApp(loop: loop, profile: profile, name: "app", seed: 1, link: ends.app)
    Task(executorPreference: loop) { await app.run() }
    // The phone launches apps while time passes.
    if mode == nil { loop.advance(by: .milliseconds(100)) }
  }

  /// Launches the apps of a state again, as their user would.
  func launchPreservedApps(_ state: PreservedState) {
    for app in state.apps {
      open()
      send(.hello(version: appLinkVersion, app: app.identity))
      loop.advance(by: .milliseconds(100))
      for manager in app.managers { send(.create(manager.id)) }
      if let service = app.services.first {
        let id = ServiceID(rawValue: Int(truncatingIfNeeded: service.id.rawValue &+ 1))
        send(.peripheral(service.manager, .addService(id, service.definition)))
      }
      for manager in app.managers where manager.id.role == .peripheral {
        send(.peripheral(manager.name, .stopAdvertising))
      }
      loop.advance(by: .milliseconds(100))
    }
    useEverything()
  }

  /// The restoration identifier of the app's peripheral manager.
  fileprivate func restoreIdentifier(of app: AppIdentity) -> String? {
    let managers = system.assumeIsolated { $0.managersInUse(of: app.bundleIdentifier) }
    return managers.first { $0.role == .peripheral }?.restoreIdentifier
  }

  private func open() {
    let ends = makeInMemoryLink()
    Task(executorPreference: loop) { [system] in await system.attach(ends.system) }
    app.withLock { $0 = ends.app }
    Task(executorPreference: loop) {
      for await message in ends.app.incoming { requireCoding(of: message) }
    }
  }

  private func send(_ message: AppMessage) { app.withLock { $0 }?.send(message) }

  // MARK: Lines

  /// Performs lines in order: messages of apps, where each `hello` begins another app; requests of a user; and actions
  /// of the central, such as `read 0` and `wait 10`.
  func perform(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(Self.maximumLines) {
      let line = Array(line)
      _ = checkedMessage(PhoneMessage.self, line)
      if let message = checkedMessage(AppMessage.self, line) {
        if case .hello = message { open() }
        send(message)
      } else if let request = try? JSONLine.decode(ControlRequest.self, line) {
        let again = try? JSONLine.decode(ControlRequest.self, JSONLine.encode(request))
        require(again == request, "a request is read as it was written")
        perform(request)
      } else {
        act(String(decoding: line, as: UTF8.self))
      }
      loop.advance(by: .milliseconds(20))
    }
  }

  private func perform(_ request: ControlRequest) {
    let result = loop.run(until: loop.now + .seconds(60)) { [system] in await system.perform(request) }
    guard case .success(let reply)? = result else { return require(false, "\(request) has a reply") }
    let again = try? JSONLine.decode(ControlReply.self, JSONLine.encode(reply))
    require(again?.error == reply.error, "a reply is read as it was written")
  }

  private func act(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2)
    let number = words.dropFirst().first.flatMap { UInt8($0) } ?? 0
    switch words.first {
    case "wait": loop.advance(by: .seconds(Int(number)))
    case "close": app.withLock { $0 }?.close()
    case "connect": connect()
    case "disconnect": loop.perform { central.assumeIsolated { [address] in $0.disconnect(from: address) } }
    case "pair": Task(executorPreference: loop) { [central, address] in try? await central.pair(with: address) }
    case "read": use(Int(number)) { [.read($0.value)] }
    case "write":
      let value = words.count > 2 ? Hex.bytes(words[2]) ?? [] : []
      use(Int(number)) { [.write($0.value, value, isReliable: number > 127)] }
    case "command": use(Int(number)) { [.command($0.value, [1, 2])] }
    case "subscribe", "unsubscribe":
      let value: [UInt8] = words.first == "subscribe" ? [1, 0] : [0, 0]
      use(Int(number)) { characteristic in
        characteristic.clientConfiguration.map { [.write($0, value)] } ?? []
      }
    default: break
    }
  }

  // MARK: The central

  private func connect() {
    loop.perform { central.assumeIsolated { [address] in $0.connect(to: address) } }
    loop.advance(by: .milliseconds(300))
  }

  private var characteristics: [RemoteCharacteristic] {
    loop.perform { central.assumeIsolated { [address] in $0.services(of: address) } }.flatMap(\.characteristics)
  }

  /// Begins operations on a characteristic, and does not wait for their responses.
  private func use(_ index: Int, _ operations: (RemoteCharacteristic) -> [GATTProcedure]) {
    let characteristics = characteristics
    guard !characteristics.isEmpty else { return }
    let operations = operations(characteristics[index % characteristics.count])
    Task(executorPreference: loop) { [central, address] in
      for operation in operations { _ = try? await central.perform(operation, at: address) }
    }
  }

  /// Reads, writes and subscribes, and waits until all responses have come or are overdue.
  func useEverything() {
    connect()
    for index in characteristics.indices.prefix(Self.maximumUse) {
      use(index) { characteristic in
        var operations = [
          GATTProcedure.read(characteristic.value),
          .write(characteristic.value, [1, 2, 3]), .command(characteristic.value, [4]),
        ]
        for descriptor in characteristic.descriptors.prefix(4) {
          operations.append(.read(descriptor.handle))
          operations.append(.write(descriptor.handle, [1, 0]))
        }
        return operations
      }
    }
    loop.advance(by: .seconds(3))
  }

  /// Requires that the phone responds, and that it has saved a state which it can read.
  func check() {
    loop.advance(by: .seconds(40))
    let status = loop.perform { system.assumeIsolated { $0.status() } }
    let line = JSONLine.encode(ControlReply(status: status))
    require((try? JSONLine.decode(ControlReply.self, line))?.status != nil, "a status is read as it was written")
    require(!StatusText(terminal: .plain).lines(status).isEmpty, "a status has a text")
    if let file = store.file {
      require((try? StateFile.decode(file)) != nil, "a phone saves what it can read")
    }
    guard case .success? = loop.run(until: loop.now + .seconds(10), { [system] in await system.shutDown() }) else {
      return require(false, "a phone shuts down")
    }
    loop.advance(by: .seconds(1))
  }
}

/// Relaunches apps with the profile of the sample.
private final class FuzzedLauncher: AppLauncher {
  let phone = Mutex<WeakPhone>(WeakPhone())

  struct WeakPhone: Sendable {
    weak var phone: FuzzedPhone?
  }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, byUser: Bool, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> Int32? {
    guard let phone = phone.withLock({ $0.phone }), app.name != "missing" else {
      throw LaunchFailure(reason: "the app is not installed")
    }
    var profile = SampleProfile.profile
    profile.bundleIdentifier = app.bundleIdentifier
    profile.restoreIdentifier = phone.restoreIdentifier(of: app)
    phone.serve(profile, into: byUser ? .foreground : .background)
    return nil
  }

  func end(_ process: Int32) {}
}

private final class Counter: Sendable {
  private let count = Atomic(0)

  /// Counts from 1.
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
