package import BleperaLoop
import Glibc

/// Receives requests on a phone's socket, one JSON object on a line, and replies to each in order.
package actor ControlServer: LoopActor {
  /// Performs a request. Called on the loop's thread.
  package typealias Perform = nonisolated(nonsending) @Sendable (ControlRequest) async -> ControlReply

  package nonisolated let loop: any DescriptorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  package nonisolated var isOnLoop: Bool { loop.isCurrent }

  /// Takes over a connection whose first line, already read, is an app's `hello`. Called on the loop's thread.
  package typealias Hello = @Sendable (LineSocket, [UInt8]) -> Void

  /// Receives whether clients watch events, when one begins or ends to. Called on the loop's thread.
  package typealias Watching = @Sendable (Bool) -> Void

  /// The events that describe the current state, sent to a new watcher. Called on the loop's thread.
  package typealias CurrentState = @Sendable () -> [EventRecord]

  private let address: ControlAddress
  private let perform: Perform
  private let hello: Hello?
  let currentState: CurrentState
  private let watching: Watching
  private let budget: SharedMemoryBudget
  private let lock: CInt
  private let descriptor: CInt
  private var listener: SocketListener?
  private var isListening = true
  private var isClosed = false
  var clients: [Int: Client] = [:]
  private var lastClient = 0
  /// The connections of clients and of apps; an app's end of AppLink owns its socket.
  private var connections: [Int: Connection] = [:]
  private var places = ConnectionPlaces()

  private struct Connection {
    weak var socket: LineSocket?
  }

  private var idleWaiters: [CheckedContinuation<Void, Never>] = []

  /// In bytes: a line, and all requests that a client may send ahead of the replies.
  package static let maximumInput = 1 << 20
  /// The requests that a client may send ahead of the replies.
  package static let maximumRequests = 64
  /// Clients at a time, apps included.
  package static let maximumClients = ConnectionPlaces.count

  struct Client {
    let socket: LineSocket
    var hasSpoken = false
    var lines: [[UInt8]] = []
    /// The length of `lines`, in bytes.
    var size = 0
    /// Whether a request is in progress; the next one waits.
    var isBusy = false
    /// Whether the client sends no more requests; it still receives its replies.
    var hasEnded = false
    /// The apps whose events are sent to the client, all where empty; nil for no events.
    var watched: [String]?
    /// Whether events are sent as text, and not as records.
    var isText = false
    /// The events that were left out because it has not read those before.
    var omitted = 0

    func watches(_ app: String?) -> Bool {
      guard let watched else { return false }
      return app.map { watched.isEmpty || watched.contains($0) } ?? true
    }
  }

  /// The events that are sent together next.
  var unsent: [Event] = []
  var sending: (any LoopTimer)?

  /// Acquires the name; requests are received after `start`.
  ///
  /// - Parameters:
  ///   - isService: whether a service manager starts the phone again if the process is killed.
  ///   - budget: the memory that all connections may take together.
  /// - Throws: `ControlFailure.alreadyRunning` while another process has the name.
  package init(
    loop: any DescriptorLoop, address: ControlAddress, isService: Bool = false,
    budget: SharedMemoryBudget = SharedMemoryBudget(),
    hello: Hello? = nil, watching: @escaping Watching = { _ in },
    currentState: @escaping CurrentState = { [] }, perform: @escaping Perform
  ) throws(ControlFailure) {
    self.loop = loop
    self.address = address
    self.budget = budget
    self.hello = hello
    self.currentState = currentState
    self.watching = watching
    self.perform = perform
    try address.prepareFolder()
    lock = try Self.takeLock(address)
    address.markLock(lock, isService: isService)
    unsafe unlink(address.socket)
    descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let isBound = unsafe address.withSocketAddress { [descriptor] in unsafe bind(descriptor, $0, $1) } == 0
    guard descriptor >= 0, isBound, unsafe chmod(address.socket, 0o600) == 0, listen(descriptor, 16) == 0 else {
      let reason = ControlAddress.text(errno)
      Glibc.close(descriptor)
      Glibc.close(lock)
      throw .system(address.socket, reason: reason)
    }
  }

  /// Acquires the lock, which the kernel releases when the process ends. A lock file that its previous owner has just
  /// removed is not the file that has the path now.
  private static func takeLock(_ address: ControlAddress) throws(ControlFailure) -> CInt {
    while true {
      let descriptor = unsafe open(address.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(address.lock, reason: ControlAddress.text(errno)) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        Glibc.close(descriptor)
        throw .alreadyRunning(name: address.name)
      }
      var ours = stat()
      var current = stat()
      if unsafe fstat(descriptor, &ours) == 0, unsafe stat(address.lock, &current) == 0,
        ours.st_ino == current.st_ino
      {
        return descriptor
      }
      Glibc.close(descriptor)
    }
  }

  package func start() {
    listener = SocketListener(loop: loop, descriptor: descriptor) { [weak self] in
      self?.assumeIsolated { $0.accept() } ?? 0
    }
  }

  private static let settleTimeout = Duration.seconds(3)

  /// Returns when no request is in progress, or after three seconds.
  package func settle() async {
    guard isBusy else { return }
    let timer = loop.schedule(after: Self.settleTimeout) { [weak self] in
      self?.assumeIsolated { $0.resumeIdleWaiters() }
    }
    await withCheckedContinuation { idleWaiters.append($0) }
    timer.cancel()
  }

  private var isBusy: Bool { clients.values.contains { $0.isBusy } }

  private func resumeIdleWaiters() {
    for waiter in idleWaiters { waiter.resume() }
    idleWaiters = []
  }

  /// Accepts no more connections; the name stays acquired.
  package func stopListening() {
    guard isListening else { return }
    isListening = false
    listener = nil
    unsafe unlink(address.socket)
    Glibc.close(descriptor)
  }

  /// Releases the name and removes its files.
  package func close() {
    stopListening()
    guard !isClosed else { return }
    isClosed = true
    sendEvents()
    for id in Array(clients.keys) { drop(id) }
    resumeIdleWaiters()
    unsafe unlink(address.lock)
    Glibc.close(lock)
  }

  /// Returns 0, or the error of the system.
  private func accept() -> CInt {
    let descriptor = Glibc.accept(descriptor, nil, nil)
    guard descriptor >= 0 else { return errno }
    admit(descriptor)
    return 0
  }

  private func admit(_ descriptor: CInt) {
    let socket = LineSocket(loop: loop, descriptor: descriptor, maximumLine: Self.maximumInput, budget: budget)
    guard socket.peer?.user == geteuid() else { return socket.close() }
    for (id, connection) in connections where connection.socket == nil { forget(id) }
    lastClient += 1
    let id = lastClient
    switch places.admit(id, at: loop.now) {
    case .admitted: break
    case .inPlace(let other):
      refuse(other, "the connection has sent no request, and another one needs its place.")
      connections[other] = nil
    case .refused:
      let reason = "the phone has \(Self.maximumClients) connections, which is the limit; close one and try again."
      socket.send(JSONLine.encode(ControlReply(error: reason)))
      return socket.close()
    }
    connections[id] = Connection(socket: socket)
    clients[id] = Client(socket: socket)
    socket.handle { [weak self] event in self?.assumeIsolated { $0.receive(event, from: id) } }
  }

  private func forget(_ connection: Int) {
    connections[connection] = nil
    places.leave(connection)
  }

  private func drop(_ id: Int) {
    guard let client = clients.removeValue(forKey: id) else { return }
    _ = budget.change(.input, from: client.size, to: 0)
    client.socket.close()
    if client.watched != nil { watching(clients.values.contains { $0.watched != nil }) }
  }

  private func refuse(_ id: Int, _ reason: String) {
    send(ControlReply(error: reason), to: id)
    drop(id)
  }

  private func receive(_ event: LineSocket.Event, from id: Int) {
    guard let client = clients[id] else { return }
    switch event {
    case .line(let line):
      if !client.hasSpoken {
        clients[id]?.hasSpoken = true
        places.hasSpoken(id)
      }
      if let hello, !client.isBusy, client.lines.isEmpty, JSONObjectReader(line).has("hello") {
        clients[id] = nil
        return hello(client.socket, line)
      }
      let size = client.size + line.count
      guard size <= Self.maximumInput, client.lines.count < Self.maximumRequests,
        budget.change(.input, from: client.size, to: size)
      else {
        return refuse(
          id,
          "more than \(Self.maximumRequests) requests, or \(Self.maximumInput) bytes of them, wait for their replies; "
            + "read the replies before you send more.")
      }
      clients[id]?.lines.append(line)
      clients[id]?.size = size
    case .ended: clients[id]?.hasEnded = true
    case .lineTooLong: return refuse(id, "a line may have \(Self.maximumInput) bytes.")
    case .budgetUsed:
      return refuse(id, "the phone's connections have too many unfinished lines; close some and try again.")
    case .drained: return sendOmission(to: id)
    }
    performNext(id)
  }

  /// Performs the requests received so far, up to one that does not complete at once.
  private func performNext(_ id: Int) {
    while let client = clients[id], !client.isBusy {
      guard let line = client.lines.first else {
        if client.hasEnded { drop(id) }
        return
      }
      clients[id]?.lines.removeFirst()
      _ = budget.change(.input, from: client.size, to: client.size - line.count)
      clients[id]?.size -= line.count
      guard let request = try? JSONLine.decode(ControlRequest.self, line) else {
        let commands = ControlRequest.Command.allCases.map(\.rawValue).joined(separator: ", ")
        let reason = "expected {\"command\": ...}, perhaps with \"app\"; the commands are \(commands)."
        return refuse(id, reason)
      }
      if request.command == .events {
        sendEvents()
        clients[id]?.watched = request.apps ?? request.app.map { [$0] } ?? []
        clients[id]?.isText = request.isText
        watching(true)
        send(.done, to: id)
        if let client = clients[id] { sendState(to: client) }
        continue
      }
      clients[id]?.isBusy = true
      Task { finish(id, await perform(request)) }
    }
  }

  private func finish(_ id: Int, _ reply: ControlReply) {
    clients[id]?.isBusy = false
    send(reply, to: id)
    performNext(id)
    if !isBusy { resumeIdleWaiters() }
  }

  private func send(_ reply: ControlReply, to id: Int) {
    sendEvents()
    clients[id]?.socket.send(JSONLine.encode(reply))
  }
}
