import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPhone
import Dispatch
import Synchronization

/// A process of an app that is written against Core Bluetooth and runs in this process.
///
/// The loop waits for each callback, and for what the callback dispatches to the same queue or to the main queue, so
/// that no virtual time passes meanwhile.
final class InProcessApp: AppPort {
  typealias Program = @MainActor @Sendable () -> Any

  let identity: AppIdentity
  let launchManagers: [ManagerID]?
  let attachment = AppPortAttachment()
  private let air: Air
  private let system: EmulatedPhone
  private let link: InMemoryAppLink<AppMessage, PhoneMessage>
  /// Returns false for a response that is sent later.
  private let mayRespond: @Sendable (AppMessage) -> Bool
  private let isRunning = Atomic(true)
  private let outbox = Mutex<[AppMessage]>([])
  private let objects = Objects()

  /// The object that the program has returned, which lives as long as the app.
  @MainActor private final class Objects {
    var root: Any?
    nonisolated init() {}
  }

  init(
    _ identity: AppIdentity, launchedFor launchManagers: [ManagerID]?, on phone: Phone,
    link: InMemoryAppLink<AppMessage, PhoneMessage>, mayRespond: @escaping @Sendable (AppMessage) -> Bool
  ) {
    self.identity = identity
    self.launchManagers = launchManagers
    (air, system) = (phone.air, phone.system)
    (self.link, self.mayRespond) = (link, mayRespond)
  }

  /// Runs the program on the main queue, as an app's launch.
  func launch(_ program: @escaping Program) {
    AppPorts.add(self)
    air.hostedApps.withLock { $0.append(self) }
    Task(executorPreference: air.loop.tasks) { [self] in
      call(on: .main) { [objects] in MainActor.assumeIsolated { objects.root = program() } }
    }
  }

  /// Ends the app: its objects are released, and their calls have no effect anymore.
  func end() {
    guard isRunning.exchange(false, ordering: .acquiringAndReleasing) else { return }
    AppPorts.remove(self)
    air.hostedApps.withLock { $0.removeAll { $0 === self } }
    attachment.value = nil
    DispatchQueue.main.async { [objects] in MainActor.assumeIsolated { objects.root = nil } }
  }

  // MARK: Calls

  func open(_ receive: @escaping @Sendable (PhoneMessage) -> Void) {
    guard isRunning.load(ordering: .acquiring) else { return }
    link.send(.hello(version: appLinkVersion, app: identity))
    Task(executorPreference: air.loop.tasks) { [self] in
      for await message in link.incoming {
        receive(message)
        if case .willTerminate = message { end() }
      }
    }
  }

  func send(_ message: AppMessage) {
    guard isRunning.load(ordering: .acquiring) else { return }
    // Follows `hello`.
    if case .create = message { return link.send(message) }
    outbox.withLock { $0.append(message) }
    Task(executorPreference: air.loop.tasks) { [self] in sendAll() }
  }

  func update(
    _ characteristic: CharacteristicID, _ value: [UInt8], centrals: [CentralID]?, by manager: ManagerID.Name
  ) -> Bool {
    ask {
      $0.update(characteristic, to: value, onSubscribedCentrals: centrals, of: self.identity.bundleIdentifier)
    } ?? false
  }

  func retrieve(_ call: CentralCall, by manager: ManagerID.Name) -> [PeripheralDescription] {
    ask { $0.retrieve(call, of: self.identity.bundleIdentifier) } ?? []
  }

  /// Asks the phone after all earlier messages; nil after the app was terminated.
  private func ask<Answer: Sendable>(_ body: @escaping @Sendable (isolated EmulatedPhone) -> Answer) -> Answer? {
    guard isRunning.load(ordering: .acquiring) else { return nil }
    let question = { @Sendable [self] in
      sendAll()
      return system.assumeIsolated(body)
    }
    if air.loop.isCurrent { return question() }
    return air.callback.perform(question) { [air] in
      Task(executorPreference: air.loop.tasks) { air.callback.serve() }
      DispatchQueue.global().async { air.backend.perform {} }
    }
  }

  /// Hands over what waits to be sent; on the loop.
  private func sendAll() {
    let messages = outbox.withLock { messages in
      defer { messages = [] }
      return messages
    }
    for message in messages where isRunning.load(ordering: .acquiring) && mayRespond(message) {
      system.assumeIsolated { $0.receive(message, of: identity.bundleIdentifier) }
    }
  }

  func takeStream() -> (any ByteStream)? { link.takeStream() }

  // MARK: Callbacks

  func call(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let call = { @Sendable [self] in
      guard isRunning.load(ordering: .acquiring) else { return }
      AppPorts.$current.withValue(self) { body() }
    }
    // A callback that the app causes outside a callback runs on the loop too, which then waits.
    guard air.loop.isCurrent else {
      return _ = Task(executorPreference: air.loop.tasks) { [self] in self.call(on: queue, body) }
    }
    // The main queue cannot serve while the main thread runs the loop.
    if queue === DispatchQueue.main, MainThread.isCurrent { return call() }
    air.callback.run(on: queue, call)
  }
}
