import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// A manager's use of a peripheral: a connection, or the wait for one.
struct PeripheralUse {
  enum Phase: Hashable {
    /// `from`: when the system begins to connect.
    case waiting(from: Duration)
    case connected
  }

  let user: CentralUser
  var options: ConnectOptions
  var phase: Phase
  /// When the app may write without response; nil once it may.
  var readiness: Duration?
  /// Until when the phone does not listen for the peripheral, `zero` once that is over: see `PhoneDefect.reconnectGap`.
  var gapEnd: Duration?
  /// The handles that the app has discovered: declarations of services, values of characteristics, descriptors.
  var discovered: Set<AttributeHandle> = []
  /// The characteristics to which the app is subscribed.
  var notifying: Set<AttributeHandle> = []

  var isConnected: Bool { phase == .connected }

  /// When the wait begins, its gap ends, or the app may write.
  var deadline: Duration? {
    if case .waiting(let from) = phase, from > .zero { return from }
    if let gapEnd, gapEnd > .zero, !isConnected { return gapEnd }
    return readiness
  }

  /// The wait for another connection.
  var waiting: PeripheralUse { PeripheralUse(user: user, options: options, phase: .waiting(from: .zero)) }
}

extension [PeripheralUse] {
  /// The apps that have asked for an alert of such an event.
  func alerted(by kind: NoticeKind) -> [AppID] { filter { $0.options.asksForAlert(kind) }.map(\.user.app) }
}

/// A call that waits for its turn, or for the peripheral.
struct PeripheralRequest {
  /// Nil for the system's own.
  let user: CentralUser?
  let call: PeripheralCall
}

/// A connection in which the phone is the central, with what is asked of the peripheral: one request after the other.
struct PeripheralLink {
  var mtu: Int
  /// The first is under way where `operation` is set.
  private(set) var requests: [PeripheralRequest] = []
  var operation: PeripheralOperationID?
  /// Write commands that the link has not carried.
  var commands: [PeripheralOperationID: PeripheralRequest] = [:]

  init(mtu: Int) { self.mtu = mtu }

  var next: PeripheralRequest? { requests.first }

  /// How many writes without response of a user have not been carried.
  func commandCount(of user: CentralUser) -> Int {
    commands.values.count { $0.user == user }
      + requests.count { request in
        guard case .writeValue(_, _, withResponse: false) = request.call else { return false }
        return request.user == user
      }
  }

  mutating func append(_ request: PeripheralRequest) { requests.append(request) }
  mutating func removeFirst() {
    requests.removeFirst()
    operation = nil
  }

  /// Removes requests that are not under way.
  mutating func removeWaiting(where isRemoved: (PeripheralCall) -> Bool) {
    let isActive = operation != nil
    requests = requests.enumerated().filter { $0 == 0 && isActive || !isRemoved($1.call) }.map(\.element)
  }

  /// Removes the requests of a user; the one under way ends without a callback.
  mutating func removeRequests(of user: CentralUser) {
    let isActive = operation != nil
    let first = requests.first
    requests = requests.enumerated().filter { $0 == 0 && isActive || $1.user != user }.map(\.element)
    if isActive, first?.user == user, let call = first?.call { requests[0] = PeripheralRequest(user: nil, call: call) }
  }
}
