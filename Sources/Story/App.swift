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
    /// What has been answered of the services and the advertisement that it asks for.
    var added = 0
    var isRestored = false
    var isReady = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  public let bundleIdentifier: String
  let definition: AppDefinition
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
    let process = life.withLock { $0.process }
    phone.air.backend.perform { process?.update(characteristic, value) }
  }

  /// Ends its process without a word.
  public func crash() {
    phone.air.note(bundleIdentifier, "crashes")
    phone.air.backend.perform { [self] in end()?.close() }
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
      (life.added, life.isRestored, life.isReady) = (0, false, false)
    }
    let system = phone.system
    Task(executorPreference: loop.tasks) { await system.attach(watched, into: mode) }
    if let profile = definition.profile {
      let app = ProfileApp(loop: loop, profile: profile, name: definition.identity.name, seed: 0, link: ends.app)
      Task(executorPreference: loop.tasks) { await app.run() }
    } else if let process {
      Task(executorPreference: loop.tasks) { await process.run() }
    }
  }

  /// Returns when it has published and advertised what it wants to, has been refused that, or has ended.
  func isReady() async {
    await withCheckedContinuation { waiter in
      let isReady = life.withLock { life in
        if !life.isReady { life.waiters.append(waiter) }
        return life.isReady
      }
      if isReady { waiter.resume() }
    }
  }

  private func becomeReady() {
    let waiters = life.withLock { life in
      life.isReady = true
      defer { life.waiters = [] }
      return life.waiters
    }
    for waiter in waiters { waiter.resume() }
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
        $0.isRestored = true
      }
    case .didUpdateState: if life.withLock({ $0.isRestored }) { becomeReady() }
    case .didAddService:
      let added = life.withLock { life in
        life.added += 1
        return life.added
      }
      if !definition.advertises, added == definition.serviceCount { becomeReady() }
    case .didStartAdvertising: becomeReady()
    case .willTerminate, .refused: _ = end()
    default: break
    }
  }

  private func end() -> InMemoryLink<AppMessage, SystemMessage>? {
    defer { becomeReady() }
    return life.withLock { life in
      defer { (life.state, life.process, life.link) = (.notRunning, nil, nil) }
      return life.link
    }
  }
}
