import BleperaBluetooth

/// Delivers events to the app, or queues, refuses or drops them.
extension AppModel {
  mutating func receive(_ event: Waiting, isBeforeFirstUnlock: Bool, at now: Duration) -> [Policy.Action] {
    switch phase {
    case .inactive, .foreground: return deliver(event, at: now)
    case .background:
      guard hasBackgroundMode || !event.kind.isRequest else { return [refuseInBackground(event.id)] }
      return deliver(event, at: now)
    case .suspended, .terminated:
      // A write without response is lost too, because the services of such an app are disabled.
      guard hasBackgroundMode || !event.kind.isRequest else { return [refuseInBackground(event.id)] }
      guard phase == .suspended else { return receiveWhileTerminated(event, isBeforeFirstUnlock: isBeforeFirstUnlock) }
      guard wakes(event) else { return enqueue(event) }
      guard !isThrottled(at: now) else {
        return event.kind.isAnswered ? [refuseWhileThrottled(event.id)] : enqueue(event)
      }
      return wake(event.kind.reason, at: now) + deliver(event, at: now)
    }
  }

  mutating func answered(_ request: EventID) -> [Policy.Action] {
    guard let index = pendingRequests.firstIndex(where: { $0.id == request }) else { return [] }
    pendingRequests.remove(at: index)
    confirmRelaunch()
    return suspendIfFinished()
  }

  /// Delivers the queued events, in order of arrival, except events that wait for their manager (R9).
  mutating func deliverQueue(at now: Duration) -> [Policy.Action] {
    let waiting = uncreated.isEmpty ? [] : queue.filter(awaitsManager)
    let ready = waiting.isEmpty ? queue : queue.filter { !awaitsManager($0) }
    queue = waiting
    return ready.map { deliverNow($0, at: now) }
  }

  private mutating func deliver(_ event: Waiting, at now: Duration) -> [Policy.Action] {
    if event.kind.wakes { extendBudget(at: now) }
    return awaitsManager(event) ? enqueue(event) : [deliverNow(event, at: now)]
  }

  private mutating func deliverNow(_ event: Waiting, at now: Duration) -> Policy.Action {
    isFinished = false
    if event.kind.wakes { (isIdle, lastEvent) = (false, now) }
    if event.kind.isAnswered { pendingRequests.append(Request(id: event.id, arrived: event.arrived, delivered: now)) }
    return .deliver(id, event.id)
  }

  /// Drops the oldest subscription, unsubscription or write without response when the queue is full, because centrals
  /// can cause any number of these. Other callbacks are kept, because an app may wait forever for a lost one, and they
  /// are few: one for each call that the app made while it ran, and one for each change of the radio. Requests are kept
  /// too, because each central has only one, which ends with its connection.
  ///
  /// A terminated app whose relaunch fails could have any number of discoveries and values, so these are bounded, too.
  mutating func enqueue(_ event: Waiting) -> [Policy.Action] {
    queue.append(event)
    let ofPeers = termination == nil ? [] : dropOldest(beyond: Self.mostOfPeers, \.isOfPeer)
    return [.queue(id, event.id)] + ofPeers + dropOldest(beyond: rules.eventQueueLimit.value, \.isBounded)
  }

  /// How many discoveries and values wait for a terminated app; ours.
  private static let mostOfPeers = 1024

  private mutating func dropOldest(beyond limit: Int, _ isCounted: (Waiting.Kind) -> Bool) -> [Policy.Action] {
    guard queue.count > limit, queue.count(where: { isCounted($0.kind) }) > limit,
      let oldest = queue.firstIndex(where: { isCounted($0.kind) })
    else { return [] }
    dropped += 1
    return [.drop(id, queue.remove(at: oldest).id, .queueFull)]
  }

  mutating func dropQueue(_ rule: RuleID, where isDropped: (Waiting) -> Bool) -> [Policy.Action] {
    defer { queue.removeAll(where: isDropped) }
    return queue.filter(isDropped).map { .drop(id, $0.id, .appEnded(rule)) }
  }

  /// Refuses the requests that the app has received and the queued requests.
  mutating func refuseRequests(_ error: ATTError, _ rule: RuleID?) -> [Policy.Action] {
    let refused = pendingRequests.filter { !$0.isRefused }.map(\.id) + queue.filter(\.kind.isAnswered).map(\.id)
    pendingRequests = []
    queue.removeAll(where: \.kind.isAnswered)
    return refused.map { .refuse(id, $0, error, rule) }
  }
}

extension AppModel {
  /// An event that is to be delivered to the app.
  struct Waiting: Hashable {
    let id: EventID
    let kind: Kind
    let arrived: Duration
    let manager: ManagerID

    enum Kind: Hashable {
      case request(RequestKind)
      case notice(NoticeKind)
    }
  }
}

extension AppModel.Waiting.Kind {
  /// R5: whether the event wakes a suspended app and relaunches a terminated one (R8).
  var wakes: Bool {
    switch self {
    case .request: true
    case .notice(let kind): kind.wakes
    }
  }

  /// R8: whether the event relaunches a terminated app. Responses of a peripheral are only for the process that asked,
  /// and connection events only wake (TN3115 names scanning, connecting and notifications).
  var relaunches: Bool {
    switch self {
    case .notice(.response), .notice(.change), .notice(.connectionEvent), .notice(.power): false
    default: wakes
    }
  }

  /// R7: whether the event waits for a terminated app. The restored state contains the results of other events.
  var isKept: Bool { relaunches || self == .notice(.change) }

  var isOfCentralManager: Bool {
    guard case .notice(let kind) = self else { return false }
    return kind.isOfCentralManager
  }

  /// Whether peripherals can cause any number of such events.
  var isOfPeer: Bool { self == .notice(.discovery) || self == .notice(.notification) }

  /// Whether a central waits for the response.
  var isAnswered: Bool {
    switch self {
    case .request(.read), .request(.write): true
    case .request(.command), .notice: false
    }
  }

  /// Whether the event counts toward the queue's limit and may be dropped. Events of a central manager do not; ours.
  var isBounded: Bool { wakes && !isAnswered && !isOfCentralManager }

  /// The reason for the state change that the event causes.
  var reason: StateReason {
    switch self {
    case .request(let kind): .wokenForRequest(kind)
    case .notice(let kind): .wokenForNotice(kind)
    }
  }

  var isRequest: Bool {
    guard case .request = self else { return false }
    return true
  }
}
