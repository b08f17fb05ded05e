extension App {
  /// An event on its way to the app.
  struct Waiting: Hashable {
    let id: EventID
    let kind: Kind
    let arrived: Duration

    enum Kind: Hashable {
      case request(RequestKind)
      case notice(NoticeKind)
    }
  }
}

extension App.Waiting.Kind {
  /// R5: whether it wakes a suspended app, and relaunches one that is gone (R8).
  var wakes: Bool {
    switch self {
    case .request: true
    case .notice(let kind): kind.wakes
    }
  }

  /// Whether a central waits for the answer.
  var isAnswered: Bool {
    switch self {
    case .request(.read), .request(.write): true
    case .request(.command), .notice: false
    }
  }

  /// Whether it is of those that may be dropped when too many wait.
  var isBounded: Bool { wakes && !isAnswered }

  /// Of what it brings about.
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
