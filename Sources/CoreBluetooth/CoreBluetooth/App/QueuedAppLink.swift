import BleperaAppLink
import BleperaBluetooth

/// A manager's side of the link, for the session.
protocol SessionAppLink: AnyObject, Sendable {
  /// Set by the session that the manager is added to, before the first use.
  var id: ManagerID { get set }
  /// Handles a message of the phone; called in the order of the messages.
  func receive(_ message: PhoneMessage)
}

/// A manager's side of the link: its state, and the callbacks on its queue.
///
/// Callbacks carry the app's objects to the app's queue, as in Core Bluetooth.
class QueuedAppLink<Manager: CBManager>: @unchecked Sendable {  // `lock` guards what changes but `id`
  private(set) weak var manager: Manager?
  let session: AppSession
  let queue: DispatchQueue
  let lock = NSLock()
  var id = ManagerID(.peripheral, .number(0))
  private var storedState = CBManagerState.unknown
  /// The number of losses of a phone that the app's queue has not handled yet. Until then the app must not use the next
  /// phone, which has neither the app's services nor its peripherals.
  private var unhandledResets = 0

  init(_ manager: Manager, _ session: AppSession, queue: DispatchQueue?) {
    self.manager = manager
    self.session = session
    self.queue = .forCallbacks(queue, "\(Manager.self)")
  }

  var state: CBManagerState { lock.withLock { unhandledResets > 0 ? .resetting : storedState } }

  /// Whether Bluetooth is on; logs the misuse otherwise.
  func mayCall() -> Bool {
    guard state != .poweredOn else { return true }
    let name = manager.map { "\($0)" } ?? "\(Manager.self)"
    Misuse.log("API MISUSE: \(name) can only accept this command while in the powered on state")
    return false
  }

  /// Notes a state at its message, before the app's queue handles it.
  func note(_ state: ManagerState) {
    if state == .resetting { lock.withLock { unhandledResets += 1 } }
  }

  /// Changes the state on the app's queue; with `lock`.
  func store(_ state: CBManagerState) {
    storedState = state
    if state == .resetting { unhandledResets -= 1 }
  }

  /// Runs a body on the manager's queue if the manager still exists. Then closes the channel that came with the
  /// message, unless the body has taken it.
  func onQueue(_ message: PhoneMessage? = nil, _ body: @escaping (Manager) -> Void) {
    let callback = Callback(body: body)
    session.call(on: queue) { [weak self, session] in
      if let manager = self?.manager { callback.body(manager) }
      if let message { session.closeStream(of: message) }
    }
  }

  private struct Callback: @unchecked Sendable {  // runs once, on the manager's queue
    let body: (Manager) -> Void
  }
}
