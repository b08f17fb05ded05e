import EventTrace
package import GATT
import Policy
package import Scenario
package import Story
import Synchronization

/// A stage made of the phones and centrals of a story.
package final class StoryStage: ScenarioStage {
  private let air: Air
  private let phones: [String: Phone]
  private let centrals: [String: Story.Central]
  private let definitions: [String: (phone: Phone, definition: AppDefinition)]
  private let apps = Mutex<[String: App]>([:])
  private let troubles: Troubles

  package init(_ scenario: Scenario, on air: Air, troubles: Troubles) {
    self.air = air
    self.troubles = troubles
    var phones: [String: Phone] = [:]
    var definitions: [String: (phone: Phone, definition: AppDefinition)] = [:]
    for (number, phone) in scenario.phones.enumerated() {
      let made = Phone(on: air, named: phone.name, ios: phone.ios.rawValue)
      phones[phone.name] = made
      for (place, app) in phone.apps.enumerated() {
        let seed = TraceHeader.seed(scenario.seed, phone: number, app: place)
        let definition = AppDefinition(profile: app.profile, fallbackName: app.fallbackName, seed: seed)
        definitions[app.name] = (made, definition)
      }
    }
    self.phones = phones
    self.definitions = definitions
    centrals = Dictionary(
      uniqueKeysWithValues: scenario.centrals.map { central in
        (central.name, Self.make(central, on: air))
      })
  }

  package var now: Duration { air.now }
  package var isRealTime: Bool { air.radio != .virtual }
  package var trace: [String] { air.trace }

  package func note(_ text: String) { air.note("scenario", text) }
  package func advance(by duration: Duration) async { await air.advance(by: duration) }

  package func apply(_ fault: Scenario.Step.Fault) async throws(StageFailure) {
    if let loss = fault.loss { air.loss = loss }
    if let latency = fault.latency { air.latency = latency }
    if let answer = fault.answer { try app(answer.app).answerDelay = answer.delay }
    do {
      if let event = fault.event { try apply(event) }
    } catch {
      throw StageFailure("\(error)")
    }
    try troubles.raise()
  }

  private func apply(_ event: Scenario.Step.Fault.Event) throws {
    switch event {
    case .link(let what, let central, let phone):
      guard let central = centrals[central], let phone = phones[phone] else { return }
      let link = air.link(central, phone)
      switch what {
      case .dropLink: try link.drop()
      case .stallLink: link.stall()
      case .resumeLink: link.resume()
      case .stopBluetoothd, .startBluetoothd, .unplugAdapter, .plugAdapter: break
      }
    case .machine(let what, let phone):
      guard let phone = phones[phone] else { return }
      switch what {
      case .stopBluetoothd: phone.stopBluetoothd()
      case .startBluetoothd: try phone.startBluetoothd()
      case .unplugAdapter: phone.unplugAdapter()
      case .plugAdapter: phone.plugAdapter()
      case .dropLink, .stallLink, .resumeLink: break
      }
    }
  }

  // MARK: Phones

  package func serve(_ name: String) async throws(StageFailure) {
    guard let (phone, definition) = definitions[name] else { throw StageFailure("there is no app \(name)") }
    if let app = apps.withLock({ $0[name] }) {
      phone.launch(app)
    } else {
      let app = phone.launch(definition)
      apps.withLock { $0[name] = app }
    }
    try troubles.raise()
  }

  package func crash(_ name: String) async throws(StageFailure) { try app(name).crash() }

  package func perform(
    _ order: Scenario.Step.Order, on phone: String, app name: String?
  ) async throws(StageFailure) {
    guard let phone = phones[phone] else { throw StageFailure("there is no phone \(phone)") }
    var app: App?
    if let name { app = try self.app(name) }
    switch order {
    case .foreground: phone.moveToForeground(app)
    case .background: phone.moveToBackground(app)
    case .suspend: phone.suspend(app)
    case .terminate: phone.terminate(.memoryPressure, app)
    case .quit: phone.forceQuit(app)
    case .lock: phone.lock()
    case .unlock: phone.unlock()
    case .bluetoothOff: phone.switchBluetooth(on: false)
    case .bluetoothOn: phone.switchBluetooth(on: true)
    case .bluetoothReset: phone.resetBluetooth()
    case .reboot: phone.reboot()
    }
    try troubles.raise()
  }

  private func app(_ name: String) throws(StageFailure) -> App {
    guard let app = apps.withLock({ $0[name] }) else {
      throw StageFailure("the app \(name) was never served; a step serve has to come first")
    }
    return app
  }

  package func look(at name: String) async -> AppView {
    guard let app = apps.withLock({ $0[name] }) else {
      return AppView(state: .notRunning, launches: 0, restoredServices: [], restoredSubscribers: [])
    }
    return AppView(
      state: Scenario.AppState(rawValue: app.state.rawValue) ?? .notRunning, launches: app.launches,
      restoredServices: app.restored.services, restoredSubscribers: app.restored.subscribers.map(\.name))
  }

  // MARK: Centrals

  private static func make(_ central: Scenario.Central, on air: Air) -> Story.Central {
    let made = Story.Central(
      on: air, named: central.name, as: central.kind == .iOS ? .iPhoneApp(iOS: central.ios.rawValue) : .any)
    switch central.place {
    case .foreground: break
    case .background: made.moveToBackground()
    case .screenOff: made.switchScreen(on: false)
    }
    return made
  }

  private func central(_ name: String) throws(StageFailure) -> Story.Central {
    guard let central = centrals[name] else { throw StageFailure("there is no central \(name)") }
    return central
  }

  package func scan(
    _ name: String, for services: [BluetoothUUID], within limit: Duration,
    until match: @escaping @Sendable (Sighted) -> Bool
  ) async throws(StageFailure) -> Bool {
    try troubles.raise()
    let central = try central(name)
    let names = Dictionary(uniqueKeysWithValues: phones.map { ($1.address, $0) })
    let found = await central.discover(asking: services, within: limit) { discovered in
      match(Sighted(discovered, of: names[discovered.address]))
    }
    return found != nil
  }

  package func connect(
    _ name: String, to phone: String, within limit: Duration
  ) async throws(StageFailure) -> Bool {
    try troubles.raise()
    guard let phone = phones[phone] else { throw StageFailure("there is no phone \(phone)") }
    do {
      let central = try central(name)
      try await central.connect(to: phone, within: limit)
      return central.isConnected
    } catch let error as StageFailure {
      throw error
    } catch {
      return false
    }
  }

  package func pair(_ name: String) async throws(StageFailure) -> Bool {
    try troubles.raise()
    do {
      try await central(name).pair()
      return true
    } catch let error as StageFailure {
      throw error
    } catch {
      return false
    }
  }

  package func disconnect(_ name: String) async throws(StageFailure) { await (try central(name)).disconnect() }

  package func link(of name: String) async -> LinkView {
    guard let central = centrals[name], central.isConnected else { return LinkView(phone: nil, services: []) }
    return LinkView(
      phone: phones.first { $0.value.address == central.connectedAddress }?.key, services: central.services)
  }

  package func request(
    _ request: Scenario.Step.Request, by name: String, _ characteristic: BluetoothUUID
  ) async throws(StageFailure) -> StageAnswer {
    try troubles.raise()
    let central = try central(name)
    do {
      switch request {
      case .read: return .value(try await central.read(characteristic))
      case .write(let value): try await central.write(value, to: characteristic)
      case .subscribe: try await central.subscribe(to: characteristic)
      case .unsubscribe: try await central.unsubscribe(from: characteristic)
      }
      return .value([])
    } catch let failure as StoryFailure {
      switch failure {
      case .refused(let error): return .error(error)
      case .noCharacteristic: return .missing
      case .notConnected, .linkLost: return .notConnected
      case .notPaired: return .error(.insufficientAuthentication)
      case .tooLate(let limit): return .nothing(limit)
      case .faultyProfile, .radio, .phone, .central, .noBus: throw StageFailure("\(failure)")
      }
    } catch {
      throw StageFailure("\(error)")
    }
  }

  package func value(
    of characteristic: BluetoothUUID, at name: String, within limit: Duration
  ) async throws(StageFailure) -> [UInt8]? {
    let central = try central(name)
    do {
      return try await central.receives(from: characteristic, within: limit)
    } catch {
      throw StageFailure("\(name) cannot receive from \(characteristic): \(error)")
    }
  }
}

extension Sighted {
  init(_ discovered: Discovered, of phone: String?) {
    self.init(
      phone: phone, address: discovered.address, localName: discovered.localName,
      serviceUUIDs: discovered.serviceUUIDs, overflow: discovered.overflowArea,
      overflowUUIDs: discovered.overflowServiceUUIDs)
  }
}
