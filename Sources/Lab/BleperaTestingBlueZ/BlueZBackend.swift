import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaPhone
import BleperaRadio
import BleperaSimulation
import Dispatch
import Synchronization

/// bluetoothd's adapters, in real time.
final class BlueZBackend: Backend {
  /// How long a radio may take to be ready.
  private static let startTimeout = Duration.seconds(5)

  let eventLoop = EventLoop(name: "story")
  private let bus: BusAddress
  private let adapters: [String]
  private let state = Mutex(State())
  private let closing = Mutex<Task<Void, Never>?>(nil)

  private struct State {
    var taken = 0
    var systems: [EmulatedPhone] = []
    var centrals: [BlueZCentral] = []
  }

  var loop: any ActorLoop { eventLoop }
  var virtual: VirtualBackend? { nil }

  init(bus: BusAddress, adapters: [String]) {
    self.bus = bus
    self.adapters = adapters
  }

  func advance(by duration: Duration) async { try? await Task.sleep(for: duration) }

  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
    if eventLoop.isCurrent { return body() }
    let outcome = BlockingOutcome<Value>()
    // A task runs after the end of the loop too, unlike a timer.
    Task(executorPreference: eventLoop.tasks) { outcome.set(body()) }
    return outcome.wait()
  }

  func wait<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) -> Result<Value, any Error>? {
    precondition(!eventLoop.isCurrent, "an action scheduled with Air.after cannot wait for time to pass")
    let outcome = BlockingOutcome<Result<Value, any Error>?>()
    let limit = run(within: limit, body) { outcome.set($0) }
    defer { limit.cancel() }
    return outcome.wait()
  }

  func finish<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error>? {
    let timer = Mutex<Task<Void, Never>?>(nil)
    let result = await withCheckedContinuation { continuation in
      let task = run(within: limit, body) { continuation.resume(returning: $0) }
      timer.withLock { $0 = task }
    }
    timer.withLock { $0 }?.cancel()
    return result
  }

  /// Calls `completion` once, on the loop's thread; returns the task that waits for the limit.
  private func run<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable () async throws -> Value,
    _ completion: @escaping @Sendable (Result<Value, any Error>?) -> Void
  ) -> Task<Void, Never> {
    let isOpen = Mutex(true)
    let end = { @Sendable (result: Result<Value, any Error>?) in
      let isFirst = isOpen.withLock { isOpen in
        defer { isOpen = false }
        return isOpen
      }
      if isFirst { completion(result) }
    }
    let task = Task(executorPreference: eventLoop.tasks) {
      do {
        end(.success(try await body()))
      } catch {
        end(Task.isCancelled ? nil : .failure(error))
      }
    }
    return Task(executorPreference: eventLoop.tasks) { [eventLoop] in
      // The sleep of an ended loop returns at once.
      try? await eventLoop.sleep(for: limit)
      guard !Task.isCancelled else { return }
      task.cancel()
      end(nil)
    }
  }

  // MARK: Phones and centrals

  private func nextAdapter(for who: String) throws(StoryFailure) -> String {
    let number = state.withLock { state in
      state.taken += 1
      return state.taken - 1
    }
    guard adapters.indices.contains(number) else {
      throw .radio("no adapter is left for \(who); the adapters of the story are \(adapters.joined(separator: ", "))")
    }
    return adapters[number]
  }

  /// A real adapter has the address that bluetoothd gives it, and its controller's delay.
  func addPhone(named name: String, _ settings: PhoneSettings) throws(StoryFailure) -> PhonePlace {
    let adapter = try nextAdapter(for: name)
    let address = try address(of: adapter, for: name)
    let memory = HandleMemory.inMemory
    return PhonePlace(address: address) { [self] system in
      state.withLock { $0.systems.append(system) }
      let connection = try await DBusConnection.open(bus, on: eventLoop)
      var options = BlueZRadio.Options()
      options.adapter = adapter
      options.powersOn = true
      options.pairing = settings.pairing
      options.handleMemory = memory
      try await system.start { [options] in BlueZRadio(connection: connection, options: options, report: $0) }
    }
  }

  func addCentral(
    named name: String, as kind: Central.Kind, mtu: Int?, report: @escaping @Sendable (CentralEvent) -> Void
  ) throws(StoryFailure) -> CentralPlace {
    guard mtu == nil else {
      throw .radio(
        "the ATT_MTU of \(name) can be chosen on the virtual radio only; bluetoothd has its own, ExchangeMTU")
    }
    let adapter = try nextAdapter(for: name)
    let address = try address(of: adapter, for: name)
    let result = wait(within: Self.startTimeout) { [bus, eventLoop] in
      let connection = try await DBusConnection.open(bus, on: eventLoop)
      _ = try? await connection.call(.power(BlueZName.root.appending(adapter), isOn: true))
      let central = BlueZCentral(connection: connection, adapter: adapter, report: report)
      try await central.start()
      return central
    }
    let radio = try Self.value(result, "\(adapter), which is to be \(name)'s,")
    state.withLock { $0.centrals.append(radio) }
    return CentralPlace(address: address, radio: radio)
  }

  private func address(of adapter: String, for name: String) throws(StoryFailure) -> String {
    let result = wait(within: Self.startTimeout) { [bus, eventLoop] () throws(DBusFailure) -> Adapter? in
      let connection = try await DBusConnection.open(bus, on: eventLoop)
      let objects = try await connection.call(.managedObjects)
      await connection.close()
      return objects.first.flatMap { CentralInventory(managedObjects: $0).adapter(named: adapter) }
    }
    guard let found = try Self.value(result, "bluetoothd") else {
      throw .radio("bluetoothd has no \(adapter), which is to be \(name)'s")
    }
    return found.address
  }

  private static func value<Value>(
    _ result: Result<Value, any Error>?, _ what: String
  ) throws(StoryFailure) -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let error): throw .radio("\(what) cannot be used: \(error); run 'blepera doctor' to find the cause")
    case nil: throw .radio("\(what) is missing or not on after \(startTimeout); run 'blepera doctor' to find the cause")
    }
  }

  func close() async {
    let task = closing.withLock { closing in
      let task = closing ?? Task { await shutDown() }
      closing = task
      return task
    }
    await task.value
  }

  private func shutDown() async {
    let (systems, centrals) = state.withLock { state in
      defer { (state.systems, state.centrals) = ([], []) }
      return (state.systems, state.centrals)
    }
    for central in centrals { await central.close() }
    for system in systems { await system.shutDown() }
    eventLoop.stop()
  }
}

/// A value that one thread blocks for until another thread sets it.
private final class BlockingOutcome<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)

  func set(_ value: Value) {
    self.value.withLock { $0 = value }
    semaphore.signal()
  }

  /// Blocks until `set` is called. May be called once.
  func wait() -> Value {
    semaphore.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("the value is set before the semaphore") }
    return value
  }
}
