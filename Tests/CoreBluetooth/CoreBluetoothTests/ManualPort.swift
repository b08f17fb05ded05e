import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import Dispatch
import Synchronization

/// A link whose messages are the test's, and whose callbacks run when the test lets them.
final class ManualPort: AppPort {
  private struct State {
    var receive: (@Sendable (PhoneMessage) -> Void)?
    var sent: [AppMessage] = []
    var callbacks: [@Sendable () -> Void] = []
    var streams: [any ByteStream] = []
    var retrieved: [PeripheralDescription] = []
    var opened = 0
  }

  private let state = Mutex(State())
  let identity = AppIdentity(
    bundleIdentifier: "org.example.app", name: "app", backgroundModes: ["bluetooth-peripheral", "bluetooth-central"])
  let launchManagers: [ManagerID]? = nil
  let attachment = AppPortAttachment()

  func open(_ receive: @escaping @Sendable (PhoneMessage) -> Void) {
    state.withLock {
      $0.receive = receive
      $0.opened += 1
    }
  }

  func send(_ message: AppMessage) { state.withLock { $0.sent.append(message) } }
  func update(
    _ characteristic: CharacteristicID, _ value: [UInt8], centrals: [CentralID]?, by manager: ManagerID.Name
  ) -> Bool { true }

  func retrieve(_ call: CentralCall, by manager: ManagerID.Name) -> [PeripheralDescription] {
    send(.central(manager, call))
    return state.withLock { $0.retrieved }
  }

  func takeStream() -> (any ByteStream)? { state.withLock { $0.streams.isEmpty ? nil : $0.streams.removeFirst() } }

  func call(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.callbacks.append(body) }
  }

  // MARK: The test

  func deliver(_ message: PhoneMessage) { state.withLock { $0.receive }?(message) }

  /// Delivers the state of the first manager of the link, a peripheral manager without restoration identifier.
  func deliver(_ state: ManagerState) { deliver(.peripheral(.number(0), .didUpdateState(state))) }

  func runCallbacks() {
    while let next = state.withLock({ $0.callbacks.isEmpty ? nil : $0.callbacks.removeFirst() }) { next() }
  }

  func add(_ stream: any ByteStream) { state.withLock { $0.streams.append(stream) } }

  /// Sets the phone's response to the next retrievals.
  func answer(_ peripherals: [PeripheralDescription]) { state.withLock { $0.retrieved = peripherals } }

  /// The number of times that the link was opened.
  var opened: Int { state.withLock { $0.opened } }

  var added: Int {
    state.withLock { $0.sent.count { if case .peripheral(_, .addService) = $0 { true } else { false } } }
  }

  /// The messages sent since the last call.
  func takeSent() -> [AppMessage] {
    state.withLock { state in
      defer { state.sent = [] }
      return state.sent
    }
  }
}
