import BleperaBluetooth

extension AppModel {
  /// An event that is to be delivered to the app.
  struct Waiting: Hashable {
    let id: EventID
    let kind: Kind
    let arrived: Duration
    /// The manager that the event is for; nil for the app as a whole.
    let manager: ManagerID?

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

  /// Whether a central waits for the response.
  var isAnswered: Bool {
    switch self {
    case .request(.read), .request(.write): true
    case .request(.command), .notice: false
    }
  }

  /// Whether the event counts toward the queue's limit and may be dropped.
  var isBounded: Bool { wakes && !isAnswered }

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
