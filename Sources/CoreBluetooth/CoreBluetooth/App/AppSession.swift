import BleperaAppLink
import BleperaBluetooth
import BleperaLoop

/// The managers of an app, and their link to the phone.
final class AppSession: @unchecked Sendable {  // `lock` guards what changes; managers have locks of their own
  /// The app that is this process; connects when its first manager is created.
  static let processPort = ProcessPort()
  private static let lock = NSLock()

  let port: any AppPort
  private let lock = NSLock()
  /// Held while a manager opens the link, which may start a phone; messages of other managers follow.
  private let opening = NSLock()
  private var isOpen = false
  /// The managers in the order of their creation.
  private var managers: [Entry] = []
  private var centrals: [CentralID: KnownCentral] = [:]
  /// The number of `centrals` at which entries whose objects the app has released are removed.
  private var longestCentrals = 64
  private var lastService = -1
  /// The streams of channels that no manager has received yet, by the channel's number.
  private var streams: [Int: any ByteStream] = [:]
  /// The number of callbacks that have not returned, or whose queues still have work that they enqueued.
  private var callbacks = 0
  private var isInBackground = false
  private var lastTask = 0
  private var lifecycle = AppLifecycle()
  /// The app's state, which changes on the main queue, with the notifications.
  private var applicationState: ProcessInfo.ApplicationState

  private struct Entry {
    let id: ManagerID
    weak var link: (any SessionAppLink)?
    /// The state that the phone has last reported for the manager.
    var state = ManagerState.unknown
  }

  private struct KnownCentral {
    weak var object: CBCentral?
  }

  private init(_ port: any AppPort) {
    self.port = port
    applicationState = port.launchManagers == nil ? .inactive : .background
  }

  /// The session of the app whose code calls.
  static var current: AppSession {
    let port: any AppPort
    switch AppPorts.forNewManager {
    case .story(let story): port = story
    case .process: port = processPort
    case .unknown:
      fatalError(
        """
        Several apps run in stories of this process, and this manager was created outside the launch and the callbacks \
        of each of them; create managers while the app is launched, or run such stories one after the other
        """)
    }
    return lock.withLock {
      if let session = port.attachment.value as? AppSession { return session }
      let session = AppSession(port)
      port.attachment.value = session
      return session
    }
  }

  static var authorization: CBManagerAuthorization {
    guard let session = existing else { return .allowedAlways }
    let isDenied = session.lock.withLock { session.managers.contains { $0.state == .unauthorized } }
    return isDenied ? .denied : .allowedAlways
  }

  // MARK: Managers

  /// Adds a manager, and creates it on the phone unless a deallocated one had its identifier; the first one opens the
  /// link. Ends the process if the app may not restore the manager.
  func add(_ link: any SessionAppLink, _ role: ManagerID.Role, restoreIdentifier: String?) {
    let name = ManagerID.Name(restoreIdentifier)
    if let exception = port.identity.exception(creating: ManagerID(role, name)) { Misuse.end(exception) }
    let known = lock.withLock { () -> ManagerState? in
      let free = managers.firstIndex {
        $0.link == nil && $0.id.role == role && $0.id.restoreIdentifier == restoreIdentifier
      }
      if let free {
        managers[free].link = link
        link.id = managers[free].id
        return managers[free].state
      }
      link.id = ManagerID(role, ManagerID.Name(restoreIdentifier, number: managers.count))
      if managers.contains(where: { $0.id == link.id }) {
        Misuse.end("Two \(role) managers of the app have the restore identifier \(restoreIdentifier ?? "")")
      }
      managers.append(Entry(id: link.id, link: link))
      return nil
    }
    opening.withLock {
      guard !isOpen else { return }
      isOpen = true
      port.open { [weak self] message in self?.receive(message) }
    }
    switch known {
    case nil: port.send(.create(link.id))
    case .unknown: break
    case let state?: link.receive(.didUpdateState(state, of: link.id))
    }
  }

  /// Frees the identifier of a manager that is deallocated: the app may still have peripherals, and so the link.
  func remove(_ link: any SessionAppLink) {
    lock.withLock {
      for index in managers.indices where managers[index].link === link { managers[index].link = nil }
    }
  }

  func nextService() -> ServiceID {
    lock.withLock {
      lastService += 1
      return ServiceID(rawValue: lastService)
    }
  }

  /// Reserves the numbers of restored services, so that new services get others.
  func reserve(_ service: ServiceID) { lock.withLock { lastService = max(lastService, service.rawValue) } }

  /// The object for a central, which stays the same while the app or a subscription retains it.
  func central(_ central: CentralDescription) -> CBCentral {
    lock.withLock {
      if let known = centrals[central.id]?.object {
        known.update(central)
        return known
      }
      if centrals.count >= longestCentrals {
        centrals = centrals.filter { $0.value.object != nil }
        longestCentrals = max(64, 2 * centrals.count)
      }
      let new = CBCentral(central)
      centrals[central.id] = KnownCentral(object: new)
      return new
    }
  }

  var centralCount: Int { lock.withLock { centrals.count } }

  // MARK: Running in the background

  /// Runs a callback on its queue. In the background, the app reports that it is idle once all callbacks have returned
  /// and the work that they enqueued has run.
  func call(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    lock.withLock { callbacks += 1 }
    port.call(on: queue) { [self] in
      body()
      guard lock.withLock({ isInBackground }) else { return endCallback() }
      port.call(on: queue) { [self] in endCallback() }
    }
  }

  private func endCallback() {
    let isIdle = lock.withLock {
      callbacks -= 1
      return callbacks == 0 && isInBackground
    }
    if isIdle { port.send(.didBecomeIdle) }
  }

  fileprivate func beginTask() -> Int {
    let task = lock.withLock {
      lastTask += 1
      return lastTask
    }
    port.send(.beginBackgroundTask(task))
    return task
  }

  // MARK: The phone

  /// Returns the stream of a channel the first time, and nil afterwards.
  func takeStream(_ channel: Int) -> (any ByteStream)? { lock.withLock { streams.removeValue(forKey: channel) } }

  /// Closes the channel that has come with a message, unless a manager has taken it.
  func closeStream(of message: PhoneMessage) {
    if let channel = message.openedChannel { takeStream(channel)?.close() }
  }

  /// Ends the channel that a message brings to a manager that is deallocated.
  private func decline(_ message: PhoneMessage) {
    closeStream(of: message)
    if case .peripheral(let manager, .didPublishL2CAPChannel(let psm?, _)) = message {
      port.send(.peripheral(manager, .unpublishL2CAPChannel(psm)))
    }
  }

  private func receive(_ message: PhoneMessage) {
    // Streams come in the order of the messages, whatever queues the managers have.
    if let channel = message.openedChannel, let stream = port.takeStream() {
      lock.withLock { streams[channel] = stream }
    }
    // Services of managers that are yet to be created have numbers too.
    if case .welcome(_, _, let next?) = message, ServiceID.numbers.contains(next &- 1) {
      reserve(ServiceID(rawValue: next &- 1))
    }
    switch message {
    case .refused: break
    case .welcome, .didChangeState, .willTerminate: notify(of: message)
    case .peripheral, .central:
      let link = lock.withLock { () -> (any SessionAppLink)? in
        guard let index = managers.firstIndex(where: { $0.id == message.manager }) else { return nil }
        if let state = message.updatedState { managers[index].state = state }
        return managers[index].link
      }
      guard let link else { return decline(message) }
      link.receive(message)
    }
  }
}

extension AppSession {
  /// Posts the notifications of `UIApplication`, so that an app without UIKit can follow its own state.
  private func notify(of message: PhoneMessage) {
    let (notices, state) = lock.withLock {
      if case .didChangeState(let state) = message { isInBackground = state == .background }
      return (lifecycle.receive(message), lifecycle.state)
    }
    // In the background the call reports that the app is idle, whether there is something to post or not.
    guard !notices.isEmpty || message == .didChangeState(.background) else { return }
    call(on: .main) { [self] in
      lock.withLock { applicationState = state ?? applicationState }
      for notice in notices { NotificationCenter.default.post(name: Notification.Name(notice.rawValue), object: nil) }
    }
  }

  fileprivate var state: ProcessInfo.ApplicationState { lock.withLock { applicationState } }

  /// The session of the app whose code calls; nil if it has none.
  fileprivate static var existing: AppSession? { portOfCaller?.attachment.value as? AppSession }

  /// The restoration identifiers of a role; nil if the user launched the app, or the launch is for the other role.
  fileprivate static func launchManagers(_ role: ManagerID.Role) -> [String]? {
    guard let managers = portOfCaller?.launchManagers else { return nil }
    let identifiers = managers.filter { $0.role == role }.compactMap(\.restoreIdentifier)
    return identifiers.isEmpty && (role == .central || !managers.isEmpty) ? nil : identifiers
  }

  /// The port of the app whose code calls; nil if that app is ambiguous.
  fileprivate static var portOfCaller: (any AppPort)? {
    switch AppPorts.forNewManager {
    case .story(let port): port
    case .process: processPort
    case .unknown: nil
    }
  }
}

extension DispatchQueue {
  /// The queue of a manager's callbacks: a queue of its own keeps their order where the app's queue is concurrent.
  static func forCallbacks(_ queue: DispatchQueue?, _ label: String) -> DispatchQueue {
    queue.map { $0 === main ? $0 : DispatchQueue(label: label, target: $0) } ?? main
  }
}

extension ProcessInfo {
  /// The state of the app, as `UIApplication.shared.applicationState` is on iOS.
  public var applicationState: ApplicationState {
    AppSession.existing?.state ?? (AppSession.portOfCaller?.launchManagers == nil ? .inactive : .background)
  }

  /// The restoration identifiers of the peripheral managers for which the system has launched the app, as
  /// `UIApplication.LaunchOptionsKey.bluetoothPeripherals` has them; nil where the user has launched the app.
  public var bluetoothPeripherals: [String]? { AppSession.launchManagers(.peripheral) }

  /// The restoration identifiers of the central managers for which the system has launched the app, as
  /// `UIApplication.LaunchOptionsKey.bluetoothCentrals` has them; nil where the user has launched the app.
  public var bluetoothCentrals: [String]? { AppSession.launchManagers(.central) }

  /// Keeps the app running in the background, as `UIApplication.beginBackgroundTask(expirationHandler:)` does: until
  /// ``endBackgroundTask(_:)``, for 30 s at most (180 s up to iOS 12), after which the app is terminated.
  ///
  /// - Returns: the task's number; 0 for an app that has created no manager.
  public func beginBackgroundTask() -> Int { AppSession.existing?.beginTask() ?? 0 }

  /// Ends a task, so that the app may be suspended.
  ///
  /// - Parameter task: The number of the task.
  public func endBackgroundTask(_ task: Int) { AppSession.existing?.port.send(.endBackgroundTask(task)) }
}
