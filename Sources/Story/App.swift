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
    var link: InMemoryLink<AppMessage, SystemMessage>?
    /// What has been answered of the services and the advertisement that it asks for.
    var added = 0
    var isRestored = false
    var isReady = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  public let bundleIdentifier: String
  let definition: AppDefinition
  let phone: Phone
  let faults = Mutex(Faults())
  private let life = Mutex(Life())

  init(_ definition: AppDefinition, on phone: Phone) {
    self.definition = definition
    self.phone = phone
    bundleIdentifier = definition.identity.bundleIdentifier
  }

  /// Whether it has a process.
  var isRunning: Bool { life.withLock { $0.link != nil } }

  public var state: State { life.withLock { $0.state } }
  public var restored: Restored { life.withLock { $0.restored } }
  /// How often it was launched, by the user or by the system.
  public var launches: Int { life.withLock { $0.launches } }

  /// Sends a value to all subscribers, as `updateValue` does.
  ///
  /// - Returns: whether it goes out. Where the transmit queue is full it does not, and `isReadyToUpdateSubscribers`
  ///   follows; and an app that does not run, or whose behaviour is a profile's, sends nothing.
  @discardableResult
  public func update(_ characteristic: BluetoothUUID, to value: [UInt8]) -> Bool {
    guard definition.profile == nil, let id = definition.id(of: characteristic) else { return false }
    return phone.air.backend.perform { [self] in
      guard life.withLock({ $0.link != nil }) else { return false }
      return phone.system.assumeIsolated { $0.update(id, to: value, of: bundleIdentifier) }
    }
  }

  /// Ends its process without a word.
  public func crash() {
    phone.air.note(bundleIdentifier, "crashes")
    phone.air.backend.perform { [self] in end()?.close() }
  }

  /// Starts a process of it.
  ///
  /// - Parameter ended: hears of one that ends before it has said anything.
  func start(into mode: LaunchMode, ended: @escaping @Sendable (String) -> Void = { _ in }) {
    let loop = phone.air.loop
    if isToCrash(at: .everyLaunch) {
      life.withLock { $0.launches += 1 }
      phone.air.note(bundleIdentifier, "crashes at launch")
      becomeReady()
      return _ = Task(executorPreference: loop.tasks) { ended("crashed") }
    }
    let ends = makeInMemoryLink()
    let launch = life.withLock { life in
      life.restored = Restored()
      life.launches += 1
      life.link = ends.app
      (life.added, life.isRestored, life.isReady) = (0, false, false)
      return life.launches
    }
    faults.withLock { $0.late = [] }
    let watched = WatchedLink(base: ends.system) { [weak self] in self?.hear($0, over: ends.app, launch: launch) }
    let link = AnsweringLink(base: ends.app) { [weak self] in self?.answer($0, over: ends.app, launch: launch) }
    let system = phone.system
    Task(executorPreference: loop.tasks) { await system.attach(watched, into: mode) }
    if let profile = definition.profile {
      let app = ProfileApp(
        loop: loop, profile: profile, name: definition.identity.name, seed: definition.seed,
        link: link)
      Task(executorPreference: loop.tasks) { await app.run() }
    } else {
      let process = ScriptedApp(definition, link: link) { [weak self] message in
        guard let self, isAlive(launch), let event = event(message) else { return }
        definition.hears(event, self)
      }
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

  /// Whether the process of that launch is still there.
  func isAlive(_ launch: Int) -> Bool { life.withLock { $0.link != nil && $0.launches == launch } }

  private func hear(_ message: SystemMessage, over link: InMemoryLink<AppMessage, SystemMessage>, launch: Int) {
    guard isAlive(launch) else { return }
    switch message {
    case .didReceiveRead, .didReceiveWrite: if isToCrash(at: .nextRequest) { crash() }
    case .didChangeState(let state):
      life.withLock { life in State(rawValue: state.rawValue).map { life.state = $0 } }
      if state != .suspended { sendLateAnswers(over: link) }
    case .willRestoreState(let state):
      let restored = restored(from: state)
      life.withLock {
        $0.restored = restored
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
    case .refused(let reason):
      phone.air.fail(.phone("\(bundleIdentifier): \(reason)"))
      _ = end()
    case .willTerminate: _ = end()
    default: break
    }
  }

  private func end() -> InMemoryLink<AppMessage, SystemMessage>? {
    defer { becomeReady() }
    return life.withLock { life in
      defer { (life.state, life.link) = (.notRunning, nil) }
      return life.link
    }
  }
}
