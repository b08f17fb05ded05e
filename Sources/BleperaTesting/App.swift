import AppLink
import EventLoop
public import GATT
import Policy
import ProfileApp
import Synchronization
import System

/// An app that is installed on a phone, whether it runs or not.
public final class App: Sendable {
  /// Where an app is, as far as the system lets it run.
  public enum State: String, Hashable, Sendable {
    case notRunning, inactive, foreground, background, suspended
  }

  /// What an app was told that the system had kept of it, when it was launched last.
  public struct Restored: Hashable, Sendable {
    public var services: [BluetoothUUID] = []
    public var subscribers: [Central] = []
  }

  private struct Life {
    var state = State.notRunning
    var restored = Restored()
    var launches = 0
    var process: ScriptedApp?
    var link: InMemoryLink<AppMessage, SystemMessage>?
  }

  public let bundleIdentifier: String
  private let definition: AppDefinition
  private let phone: Phone
  private let life = Mutex(Life())

  init(_ definition: AppDefinition, on phone: Phone) {
    self.definition = definition
    self.phone = phone
    bundleIdentifier = definition.identity.bundleIdentifier
  }

  public var state: State { life.withLock { $0.state } }
  public var restored: Restored { life.withLock { $0.restored } }
  /// How often it was launched, by the user or by the system.
  public var launches: Int { life.withLock { $0.launches } }

  /// Sends a value to all subscribers, as `updateValue` does. Of an app of closures that runs; else without effect.
  public func update(_ characteristic: BluetoothUUID, to value: [UInt8]) {
    phone.air.loop.perform { life.withLock { $0.process }?.update(characteristic, value) }
  }

  /// Ends its process without a word.
  public func crash() {
    phone.air.note(bundleIdentifier, "crashes")
    phone.air.loop.perform { end()?.close() }
  }

  /// Starts a process of it.
  func start(into mode: LaunchMode) {
    let loop = phone.air.loop
    let ends = makeInMemoryLink()
    let watched = WatchedLink(base: ends.system) { [weak self] in self?.hear($0, over: ends.app) }
    let process = definition.profile == nil ? ScriptedApp(definition, link: ends.app) : nil
    life.withLock { life in
      life.restored = Restored()
      life.launches += 1
      life.process = process
      life.link = ends.app
    }
    let system = phone.system
    Task(executorPreference: loop) { await system.attach(watched, into: mode) }
    if let profile = definition.profile {
      let app = ProfileApp(loop: loop, profile: profile, name: definition.identity.name, seed: 0, link: ends.app)
      Task(executorPreference: loop) { await app.run() }
    } else if let process {
      Task(executorPreference: loop) { await process.run() }
    }
  }

  private func hear(_ message: SystemMessage, over link: InMemoryLink<AppMessage, SystemMessage>) {
    switch message {
    case .didChangeState(let state):
      life.withLock { life in State(rawValue: state.rawValue).map { life.state = $0 } }
    case .willRestoreState(let state):
      let ids = state.services.flatMap(\.subscriptions).flatMap(\.centrals).map(\.id.rawValue)
      let centrals = phone.air.centrals.withLock { known in ids.compactMap { known[$0] } }
      life.withLock {
        $0.restored = Restored(services: state.services.map(\.service.uuid), subscribers: centrals)
      }
    case .willTerminate, .refused: _ = end()
    default: break
    }
  }

  private func end() -> InMemoryLink<AppMessage, SystemMessage>? {
    life.withLock { life in
      defer { (life.state, life.process, life.link) = (.notRunning, nil, nil) }
      return life.link
    }
  }
}
