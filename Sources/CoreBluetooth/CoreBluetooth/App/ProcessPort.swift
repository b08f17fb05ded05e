import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
@unsafe @preconcurrency import Glibc  // for `stdout`, which Glibc's functions lock
import Synchronization

/// The link of the app that is this process, over the phone's socket.
final class ProcessPort: AppPort, @unchecked Sendable {  // `lock` guards all mutable properties
  let identity: AppIdentity
  let launchManagers: [ManagerID]?
  let attachment = AppPortAttachment()

  private let lock = NSLock()
  private var socket: AppSocket?
  /// The managers that the app has created, which a phone that replaces a lost one does not know.
  private var managers: [ManagerID] = []
  /// Receives the state of each manager if there is no phone.
  private var absence: (@Sendable (PhoneMessage) -> Void)?
  /// The last state that the phone has sent.
  private var state = AppState.foreground
  /// Calls of `updateValue` that wait for the phone's response, in the order in which they were sent.
  private var updates: [Question<Bool>] = []
  /// Calls of `retrievePeripherals` and `retrieveConnectedPeripherals` that wait.
  private var retrievals: [Question<[PeripheralDescription]>] = []

  private final class Question<Answer: Sendable>: Sendable {
    private let answered = DispatchSemaphore(value: 0)
    private let value = Mutex<Answer?>(nil)

    func answer(_ answer: Answer?) {
      value.withLock { $0 = answer }
      answered.signal()
    }

    /// Blocks until the phone responds; nil if the phone was lost.
    func wait() -> Answer? {
      answered.wait()
      return value.withLock { $0 }
    }
  }

  /// The time before the app looks for a phone that replaces a lost one, in seconds.
  private static let reconnectionInterval = 1.0
  /// The time that the app has to handle the notification of its end, in seconds (Apple, applicationWillTerminate(_:)).
  private static let endTime = 5.0

  init() {
    let environment = ProcessInfo.processInfo.environment
    identity = AppInfo.identity(program: AppInfo.program, environment: environment)
    launchManagers = LaunchDescription(arguments: [], folder: "", environment: environment).launchManagers
  }

  func open(_ receive: @escaping @Sendable (PhoneMessage) -> Void) {
    // The system terminates processes without notice, and a full buffer would lose the app's output to a file.
    unsafe setlinebuf(stdout)
    let socket: AppSocket
    do {
      socket = try PhoneConnection.open(startsPhone: true)
    } catch {
      Misuse.log("No phone: \(error)")
      return lock.withLock { absence = receive }
    }
    begin(socket)
    Thread.detachNewThread { [self] in run(socket, receive) }
  }

  func send(_ message: AppMessage) {
    let (socket, absence) = lock.withLock {
      if case .create(let manager) = message { managers.append(manager) }
      return (self.socket, self.absence)
    }
    socket?.send(message)
    // Without a phone, managers behave as on a device without Bluetooth.
    if case .create(let manager) = message { absence?(.didUpdateState(.unsupported, of: manager)) }
  }

  func update(
    _ characteristic: CharacteristicID, _ value: [UInt8], centrals: [CentralID]?, by manager: ManagerID.Name
  ) -> Bool {
    ask(.peripheral(manager, .updateValue(characteristic, value: value, centrals: centrals)), \.updates) ?? false
  }

  func retrieve(_ call: CentralCall, by manager: ManagerID.Name) -> [PeripheralDescription] {
    ask(.central(manager, call), \.retrievals) ?? []
  }

  /// Sends a question and waits for the response; nil if there is no phone, or the phone was lost.
  private func ask<Answer>(
    _ message: AppMessage, _ questions: ReferenceWritableKeyPath<ProcessPort, [Question<Answer>]>
  ) -> Answer? {
    let question = Question<Answer>()
    let isSent = lock.withLock {
      guard let socket else { return false }
      // The lock is held while sending, so that responses arrive in the order of the list.
      self[keyPath: questions].append(question)
      socket.send(message)
      return true
    }
    return isSent ? question.wait() : nil
  }

  private func answer<Answer>(
    _ answer: Answer, _ questions: ReferenceWritableKeyPath<ProcessPort, [Question<Answer>]>
  ) {
    lock.withLock { self[keyPath: questions].isEmpty ? nil : self[keyPath: questions].removeFirst() }?.answer(answer)
  }

  func takeStream() -> (any ByteStream)? { lock.withLock { socket }?.takeStream() }

  func call(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  // MARK: The phone

  /// Sends the messages that precede all calls: the app's identity and its managers.
  private func begin(_ socket: AppSocket) {
    lock.withLock {
      // The app publishes again on a phone that replaces a lost one, as if it had moved to the background.
      let launch = state == .foreground ? nil : LaunchMode.leftForeground
      socket.send(.hello(version: appLinkVersion, app: identity, launch: launch, process: Self.process))
      for manager in managers {
        socket.send(.create(manager))
        // The new phone may have preserved what this app has published; the app publishes it again.
        if manager.role == .peripheral {
          socket.send(.peripheral(manager.name, .stopAdvertising))
          socket.send(.peripheral(manager.name, .removeAllServices))
        }
      }
      self.socket = socket
    }
  }

  /// The command with which the phone relaunches this app.
  private static var process: LaunchDescription {
    var process = LaunchDescription(
      arguments: [AppInfo.program] + CommandLine.arguments.dropFirst(),
      folder: FileManager.default.currentDirectoryPath, environment: ProcessInfo.processInfo.environment,
      isSuspendable: true)
    process.launchManagers = nil
    return process
  }

  private func run(_ first: AppSocket, _ receive: @Sendable (PhoneMessage) -> Void) {
    var socket = first
    while true {
      read(socket, receive)
      loseQuestions()
      for manager in lock.withLock({ managers }) { receive(.didUpdateState(.resetting, of: manager)) }
      socket = reconnect()
      begin(socket)
      hasReconnected = true
    }
  }

  /// Whether a phone has replaced a lost one; only the thread that reads uses this.
  private var hasReconnected = false
  /// The peripherals of the former phone whose interruption is not reported to the app.
  private var released: [ManagerID.Name: Set<PeripheralID>] = [:]

  private func reconnect() -> AppSocket {
    while true {
      Thread.sleep(forTimeInterval: Self.reconnectionInterval)
      if let socket = try? PhoneConnection.open(startsPhone: false) { return socket }
    }
  }

  /// Returns when the phone has closed the link.
  private func read(_ socket: AppSocket, _ receive: (PhoneMessage) -> Void) {
    while let message = socket.next() {
      switch message {
      case .peripheral(_, .didUpdateValue(_, let isQueued, _)): answer(isQueued, \.updates)
      case .central(_, .didRetrievePeripherals(let peripherals)): answer(peripherals, \.retrievals)
      case .refused(let reason):
        Misuse.log("The phone refuses the app: \(reason)")
        _exit(1)
      case .willTerminate(let cause):
        if cause.isAnnounced(to: lock.withLock { state }) { announceEnd(message, receive) }
        // No other code of an app runs when iOS terminates it.
        Misuse.log("\(identity.bundleIdentifier) is terminated: \(cause.rawValue)")
        _exit(128 + SIGKILL)
      case .didChangeState(let state):
        lock.withLock { self.state = state }
        receive(message)
      case .peripheral(_, .willRestoreState) where hasReconnected: break
      case .central(let id, .willRestoreState(let state)) where hasReconnected:
        // The app scans and connects again by itself, and cannot use events of its former connections.
        socket.send(.central(id, .stopScan))
        for restored in state.peripherals { socket.send(.central(id, .release(restored.peripheral.id))) }
        released[id, default: []].formUnion(state.peripherals.map(\.peripheral.id))
      case .central(let manager, .didDisconnectPeripheral(let id, _, isReconnecting: true, _))
      where released[manager]?.remove(id) != nil:
        break
      default: receive(message)
      }
    }
  }

  /// Returns when the main queue has handled the notification, or after `endTime`.
  private func announceEnd(_ message: PhoneMessage, _ receive: (PhoneMessage) -> Void) {
    // The phone sends no more responses.
    loseQuestions()
    receive(message)
    let handled = DispatchSemaphore(value: 0)
    DispatchQueue.main.async { handled.signal() }
    _ = handled.wait(timeout: .now() + Self.endTime)
  }

  private func loseQuestions() {
    let (updates, retrievals) = lock.withLock {
      socket = nil
      defer { (self.updates, self.retrievals) = ([], []) }
      return (self.updates, self.retrievals)
    }
    for update in updates { update.answer(nil) }
    for retrieval in retrievals { retrieval.answer(nil) }
  }
}
