import BleperaBluetooth

/// The tasks of a host at its peer: one at a time, and of a task one request at a time, as ATT requires.
struct TaskQueue: Sendable {
  /// The event that the active task waits for.
  private enum Wait {
    case nothing
    /// The peer's response; carries the number of the timer.
    case response(to: ATTPDU, timer: Int)
    /// Security of the link, since the peer has refused the request.
    case security
  }

  private(set) var active: ClientTask?
  private(set) var waiting: [ClientTask] = []
  private var wait = Wait.nothing

  /// The active operation; nil while the host does something of its own.
  var operation: ClientProcedure? { active?.operation }
  /// The operations that are not complete, in order.
  var operations: [OperationID] { ([active].compactMap(\.self) + waiting).compactMap(\.operation?.id) }
  /// Whether the link is being secured for the active operation.
  var isSecuring: Bool { if case .security = wait { true } else { false } }

  mutating func add(_ task: ClientTask) { waiting.append(task) }

  /// Makes the next task the active one. Returns false if there is none, or another one is active.
  mutating func begin() -> Bool {
    guard active == nil, !waiting.isEmpty else { return false }
    active = waiting.removeFirst()
    return true
  }

  mutating func start(mtu: Int, offered: Int) -> ClientTask.Step? { active?.start(mtu: mtu, offered: offered) }

  /// The active task has ended.
  mutating func end() { (active, wait) = (nil, .nothing) }

  mutating func sent(_ request: ATTPDU, timer: Int) { wait = .response(to: request, timer: timer) }

  func isUnanswered(timer: Int) -> Bool { if case .response(_, timer: let own) = wait { own == timer } else { false } }

  /// Takes a response; nil for one after its procedure has ended, or to nothing. A response that no server gives ends
  /// its request with an error, as in bluetoothd (src/shared/att.c, src/shared/gatt-helpers.c); the code is ours.
  ///
  /// - Parameter response: nil for bytes that are no response.
  mutating func take(_ response: ATTPDU?, mtu: Int) -> ClientTask.Step? {
    guard case .response(let request, _) = wait else { return nil }
    let valid = response.flatMap { $0.responds(to: request) ? $0 : nil }
    let step = active?.take(valid ?? request.error(.unlikelyError), mtu: mtu)
    wait = .nothing
    if case .exchangeMTURequest(let own) = request, case .agreed(let peer?) = step {
      return .agreed(min(Int(own), peer))
    }
    // A search lets what waits go first after each response, as with one queue of requests in bluetoothd.
    guard case .send? = step, !waiting.isEmpty, let active, active.isSearch else { return step }
    waiting.append(active)
    return .ended
  }

  /// The active operation waits until the link is secured. Returns false if it has done that before.
  mutating func secure() -> Bool {
    guard case .operation(var procedure)? = active, !procedure.hasSecured else { return false }
    procedure.hasSecured = true
    (active, wait) = (.operation(procedure), .security)
    return true
  }

  /// The link is secured, or cannot be. Returns whether the active operation has waited for that.
  mutating func resume() -> Bool {
    defer { if isSecuring { wait = .nothing } }
    return isSecuring
  }
}

/// A task of a host at its peer, of several requests.
enum ClientTask: Sendable {
  case exchangeMTU
  /// The primary services with at least that handle, which are not kept.
  case primaryServices(from: AttributeHandle)
  case discovery(ServiceDiscovery)
  case operation(ClientProcedure)

  enum Step: Sendable {
    case send(ATTPDU)
    /// On the lesser MTU; nil where the peer has none.
    case agreed(Int?)
    case ended
    /// In a range that has changed; nil for all, and with the Device Name if the peer has one.
    case discovered([RemoteService], name: String?, in: ClosedRange<AttributeHandle>?)
    case finish(Result<ProcedureAnswer, ATTError>)
  }

  var operation: ClientProcedure? { if case .operation(let procedure) = self { procedure } else { nil } }

  var isSearch: Bool {
    switch self {
    case .exchangeMTU: false
    case .primaryServices, .discovery: true
    case .operation(let procedure): if case .readByType = procedure.kind { true } else { false }
    }
  }

  /// Returns the first request, also where the task begins again; a search continues where it was.
  mutating func start(mtu: Int, offered: Int) -> Step {
    switch self {
    case .exchangeMTU: return .send(.exchangeMTURequest(UInt16(clamping: offered)))
    case .primaryServices(let start): return .send(Self.primaryServices(from: start))
    case .discovery(var discovery):
      defer { self = .discovery(discovery) }
      return discovery.next()
    case .operation(var procedure):
      defer { self = .operation(procedure) }
      return procedure.start(mtu: mtu)
    }
  }

  mutating func take(_ response: ATTPDU, mtu: Int) -> Step {
    switch self {
    case .exchangeMTU:
      guard case .exchangeMTUResponse(let peer) = response else { return .agreed(nil) }
      return .agreed(Int(peer))
    case .primaryServices:
      guard case .readByGroupTypeResponse(let groups) = response, let next = groups.last?.range.upperBound.successor
      else { return .ended }
      self = .primaryServices(from: next)
      return .send(Self.primaryServices(from: next))
    case .discovery(var discovery):
      defer { self = .discovery(discovery) }
      // The services that were being discovered are then not there, as in bluetoothd.
      if discovery.error(in: response) != nil { return .discovered([], name: nil, in: discovery.range) }
      discovery.take(response)
      return discovery.next()
    case .operation(var procedure):
      defer { self = .operation(procedure) }
      return procedure.take(response, mtu: mtu)
    }
  }

  private static func primaryServices(from start: AttributeHandle) -> ATTPDU {
    .readByGroupTypeRequest(start...AttributeHandle(rawValue: .max), type: AttributeTypes.primaryService)
  }
}
