import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
@unsafe @preconcurrency import Glibc  // for `stdout`, which Glibc's functions lock
import Synchronization

/// The link of the app that is this process, over the phone's socket.
final class ProcessPort: AppPort, @unchecked Sendable {  // `lock` guards all mutable properties
  let identity: AppIdentity
  let bluetoothPeripherals: [String]?
  let attachment = AppPortAttachment()

  private let lock = NSLock()
  private var socket: AppSocket?
  private var restoreIdentifier: String?
  /// How a phone that replaces a lost one launches the app: it publishes again, as if it had left the foreground where it
  /// was not there. Nil for the foreground.
  private var launch: LaunchMode?
  /// Calls of `updateValue` that wait for the phone's answer, in the order in which they were sent.
  private var updates: [WaitingUpdate] = []

  private final class WaitingUpdate: Sendable {
    let answered = DispatchSemaphore(value: 0)
    let isQueued = Atomic(false)
  }

  /// How long the app waits before it looks for a phone that replaces a lost one.
  private static let reconnectionInterval = 1.0

  init() {
    let environment = ProcessInfo.processInfo.environment
    identity = AppInfo.identity(program: AppInfo.program, environment: environment)
    bluetoothPeripherals = environment[LaunchDescription.launchVariable].map { text in
      text.split(separator: "\n").map(String.init)
    }
  }

  func open(_ restoreIdentifier: String?, _ receive: @escaping @Sendable (PhoneMessage) -> Void) {
    lock.withLock { self.restoreIdentifier = restoreIdentifier }
    // Otherwise what the app prints to a file is lost with the process, which the system terminates without notice.
    unsafe setlinebuf(stdout)
    let socket: AppSocket
    do {
      socket = try PhoneConnection.open(startsPhone: true)
    } catch {
      Misuse.log("No phone: \(error)")
      // As on a device without Bluetooth.
      return receive(.didUpdateState(.unsupported))
    }
    begin(socket)
    Thread.detachNewThread { [self] in run(socket, receive) }
  }

  func send(_ message: AppMessage) { lock.withLock { socket }?.send(message) }

  func update(_ characteristic: CharacteristicID, _ value: [UInt8], centrals: [CentralID]?) -> Bool {
    let update = WaitingUpdate()
    let isSent = lock.withLock {
      guard let socket else { return false }
      // Sent under the lock, so that answers come in the order of the list.
      updates.append(update)
      socket.send(.updateValue(characteristic, value: value, centrals: centrals))
      return true
    }
    guard isSent else { return false }
    update.answered.wait()
    return update.isQueued.load(ordering: .acquiring)
  }

  func takeStream() -> (any ByteStream)? { lock.withLock { socket }?.takeStream() }

  func call(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

  // MARK: The phone

  private func begin(_ socket: AppSocket) {
    var identity = identity
    let launch = lock.withLock {
      identity.restoreIdentifier = restoreIdentifier
      return self.launch
    }
    socket.send(.hello(version: appLinkVersion, app: identity, launch: launch, process: Self.process))
    lock.withLock { self.socket = socket }
  }

  /// How the phone starts this app again.
  private static var process: LaunchDescription {
    var environment = ProcessInfo.processInfo.environment
    environment[LaunchDescription.launchVariable] = nil
    return LaunchDescription(
      arguments: [AppInfo.program] + CommandLine.arguments.dropFirst(),
      folder: FileManager.default.currentDirectoryPath, environment: environment, isSuspendable: true)
  }

  private func run(_ first: AppSocket, _ receive: @Sendable (PhoneMessage) -> Void) {
    var socket = first
    while true {
      read(socket, receive)
      lock.withLock { self.socket = nil }
      for update in takeUpdates() { update.answered.signal() }
      receive(.didUpdateState(.resetting))
      socket = reconnect()
      begin(socket)
      // The new phone may have preserved what this app has published; the app publishes anew.
      socket.send(.stopAdvertising)
      socket.send(.removeAllServices)
      for id in (attachment.value as? AppSession)?.furtherManagers ?? [] {
        socket.send(.createManager(id))
        socket.send(.manager(id, .stopAdvertising))
        socket.send(.manager(id, .removeAllServices))
      }
      hasReconnected = true
    }
  }

  /// Only used by the thread that reads.
  private var hasReconnected = false

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
      case .didUpdateValue(_, let isQueued, _):
        let update = lock.withLock { updates.isEmpty ? nil : updates.removeFirst() }
        update?.isQueued.store(isQueued, ordering: .releasing)
        update?.answered.signal()
      case .manager(_, .didUpdateValue(let place, let isQueued, let error)):
        let update = lock.withLock { updates.isEmpty ? nil : updates.removeFirst() }
        _ = (place, error)
        update?.isQueued.store(isQueued, ordering: .releasing)
        update?.answered.signal()
      case .refused(let reason):
        Misuse.log("The phone refuses the app: \(reason)")
        _exit(1)
      case .willTerminate(let cause):
        // No code of an app runs when iOS terminates it.
        Misuse.log("\(identity.bundleIdentifier) is terminated: \(cause.rawValue)")
        _exit(128 + SIGKILL)
      case .didChangeState(let state):
        lock.withLock { launch = state == .foreground ? nil : .leftForeground }
        receive(message)
      case .willRestoreState where hasReconnected, .manager(_, .willRestoreState) where hasReconnected: break
      default: receive(message)
      }
    }
  }

  private func takeUpdates() -> [WaitingUpdate] {
    lock.withLock {
      defer { updates = [] }
      return updates
    }
  }
}
