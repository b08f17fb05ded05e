package import GATT
import Policy
package import Scenario
package import Story
import Synchronization

/// A stage made of the phones and centrals of a story.
package final class StoryStage: ScenarioStage {
  private struct Central {
    let story: Story.Central
    let scenario: Scenario.Central
  }

  private let air: Air
  private let phones: [String: Phone]
  private let centrals: [String: Central]
  private let definitions: [String: (phone: Phone, definition: AppDefinition)]
  private let apps = Mutex<[String: App]>([:])
  private let troubles: Troubles

  package init(_ scenario: Scenario, on air: Air, troubles: Troubles) {
    self.air = air
    self.troubles = troubles
    var phones: [String: Phone] = [:]
    var definitions: [String: (phone: Phone, definition: AppDefinition)] = [:]
    for phone in scenario.phones {
      let made = Phone(on: air, named: phone.name, ios: phone.ios.rawValue)
      phones[phone.name] = made
      for app in phone.apps {
        definitions[app.name] = (made, AppDefinition(profile: app.profile, fallbackName: app.fallbackName))
      }
    }
    self.phones = phones
    self.definitions = definitions
    centrals = Dictionary(
      uniqueKeysWithValues: scenario.centrals.map { central in
        (central.name, Central(story: Story.Central(on: air, named: central.name), scenario: central))
      })
  }

  package var now: Duration { air.now }
  package var isRealTime: Bool { false }
  package var trace: [String] { air.trace }

  package func note(_ text: String) { air.note("scenario", text) }
  package func advance(by duration: Duration) async { air.advance(by: duration) }
  package func apply(_ fault: Scenario.Step.Fault) async { air.change(loss: fault.loss, latency: fault.latency) }

  // MARK: Phones

  package func serve(_ name: String) async throws(StageFailure) {
    guard let (phone, definition) = definitions[name] else { throw StageFailure("there is no app \(name)") }
    if let app = apps.withLock({ $0[name] }) {
      phone.launch(app)
    } else {
      let app = phone.launch(definition)
      apps.withLock { $0[name] = app }
    }
    // Until it has published and advertised.
    air.advance(by: .milliseconds(100))
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

  private func central(_ name: String) throws(StageFailure) -> Central {
    guard let central = centrals[name] else { throw StageFailure("there is no central \(name)") }
    return central
  }

  package func scan(
    _ name: String, for services: [BluetoothUUID], within limit: Duration,
    until match: @escaping @Sendable (Sighted) -> Bool
  ) async throws(StageFailure) -> Bool {
    let central = try central(name)
    let names = Dictionary(uniqueKeysWithValues: phones.map { ("\($1.address)", $0) })
    let app = central.scenario.kind == .iOS ? IPhoneScan(central.scenario, services, at: now) : nil
    return await central.story.hears(within: limit) { [air] address, heard in
      let phone = names[address]
      guard let app else { return match(Sighted(heard, phone, address)) }
      return app.discoveries(heard, address, at: air.now).contains { match(Sighted($0, phone, address)) }
    }
  }

  package func connect(
    _ name: String, to phone: String, within limit: Duration
  ) async throws(StageFailure) -> Bool {
    guard let phone = phones[phone] else { throw StageFailure("there is no phone \(phone)") }
    do {
      let central = try central(name).story
      try await central.connect(to: phone, within: limit)
      return central.isConnected
    } catch let error as StageFailure {
      throw error
    } catch {
      return false
    }
  }

  package func pair(_ name: String) async throws(StageFailure) -> Bool {
    do {
      try await central(name).story.pair()
      return true
    } catch let error as StageFailure {
      throw error
    } catch {
      return false
    }
  }

  package func disconnect(_ name: String) async throws(StageFailure) { try central(name).story.disconnect() }

  package func link(of name: String) async -> LinkView {
    guard let central = centrals[name]?.story, central.isConnected else { return LinkView(phone: nil, services: []) }
    return LinkView(
      phone: phones.first { $0.value.address == central.connectedAddress }?.key, services: central.services)
  }

  package func request(
    _ request: Scenario.Step.Request, by name: String, _ characteristic: BluetoothUUID
  ) async throws(StageFailure) -> StageAnswer {
    let central = try central(name).story
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
      case .notConnected: return .notConnected
      case .tooLate(let limit): return .nothing(limit)
      case .faultyProfile: throw StageFailure("\(failure)")
      }
    } catch {
      throw StageFailure("\(error)")
    }
  }

  package func value(
    of characteristic: BluetoothUUID, at name: String, within limit: Duration
  ) async throws(StageFailure) -> [UInt8]? {
    let central = try central(name).story
    do {
      return try await central.receives(from: characteristic, within: limit)
    } catch {
      throw StageFailure("\(name) cannot receive from \(characteristic): \(error)")
    }
  }
}
