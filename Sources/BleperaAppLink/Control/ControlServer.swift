package import BleperaLoop
import Glibc

/// Receives requests on a phone's socket, one JSON object on a line, and replies to each in order.
package actor ControlServer {
  /// Performs a request. Called on the loop's thread.
  package typealias Perform = nonisolated(nonsending) @Sendable (ControlRequest) async -> ControlReply

  package nonisolated let loop: any DescriptorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// Takes over a connection whose first line, already read, is an app's `hello`. Called on the loop's thread.
  package typealias Hello = @Sendable (LineSocket, [UInt8]) -> Void

  /// The events that describe the current state, sent to a new watcher. Called on the loop's thread.
  package typealias CurrentState = @Sendable () -> [EventRecord]

  private let address: ControlAddress
  private let perform: Perform
  private let hello: Hello?
  private let currentState: CurrentState
  private let lock: CInt
  private let listener: CInt
  private var source: (any LoopTimer)?
  private var isListening = true
  private var isClosed = false
  private var clients: [Int: Client] = [:]
  private var lastClient = 0
  /// Of clients and of apps, whose sockets their links own.
  private var connections: [Connection] = []
  private var pause: (any LoopTimer)?

  private struct Connection {
    weak var socket: LineSocket?
  }

  private var idleWaiters: [CheckedContinuation<Void, Never>] = []

  /// In bytes: a line, and all requests that a client may send ahead of the replies.
  package static let maximumInput = 1 << 20
  /// The requests that a client may send ahead of the replies.
  package static let maximumRequests = 64
  /// Clients at a time, apps included.
  package static let maximumClients = 256
  /// How long no connection is accepted where the process has no descriptor left.
  private static let descriptorPause = Duration.seconds(1)

  private struct Client {
    let socket: LineSocket
    var lines: [[UInt8]] = []
    /// The length of `lines`, in bytes.
    var size = 0
    /// Whether a request is in progress; the next one waits.
    var isBusy = false
    /// Whether the client sends no more requests; it still receives its replies.
    var hasEnded = false
    /// The apps whose events are sent to the client, all where empty; nil for no events.
    var watched: [String]?
    /// How events are sent as text; nil for records.
    var text: ControlRequest.TextStyle?

    func watches(_ app: String?) -> Bool {
      guard let watched else { return false }
      return app.map { watched.isEmpty || watched.contains($0) } ?? true
    }
  }

  /// An event in a form that a client has asked for.
  private enum Line {
    /// An `EventRecord` and a line feed.
    case record([UInt8])
    case text(String, ControlRequest.TextStyle)

    var style: ControlRequest.TextStyle? { if case .text(_, let style) = self { style } else { nil } }
  }

  /// The events that are sent together next.
  private var unsent: [(app: String?, line: Line)] = []
  private var sending: (any LoopTimer)?
  private static let maximumUnsent = 256

  /// Acquires the name; requests are received after `start`.
  ///
  /// - Throws: `ControlFailure.alreadyRunning` while another process has the name.
  package init(
    loop: any DescriptorLoop, address: ControlAddress, hello: Hello? = nil,
    currentState: @escaping CurrentState = { [] }, perform: @escaping Perform
  ) throws(ControlFailure) {
    self.loop = loop
    self.address = address
    self.hello = hello
    self.currentState = currentState
    self.perform = perform
    try address.prepareFolder()
    lock = try Self.takeLock(address)
    unsafe unlink(address.socket)
    listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let isBound = unsafe address.withSocketAddress { [listener] in unsafe bind(listener, $0, $1) } == 0
    guard listener >= 0, isBound, unsafe chmod(address.socket, 0o600) == 0, listen(listener, 16) == 0 else {
      let reason = ControlAddress.text(errno)
      Glibc.close(listener)
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
    source = loop.watch(descriptor: listener, for: .reading) { [weak self] _ in
      self?.assumeIsolated { $0.accept() }
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
    source = nil
    unsafe unlink(address.socket)
    Glibc.close(listener)
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

  /// Sends an event to the clients that watch it; its lines are made only if there are any.
  ///
  /// - Parameters:
  ///   - line: an `EventRecord` and a line feed.
  ///   - text: the same as text, colored or not; nil where the event is not shown.
  ///   - app: nil for events of the phone itself.
  ///   - isFrequent: of events of which there may be thousands a second. Those of 10 ms are sent together, so that
  ///     watching takes little of the time of requests; any other event and each reply are sent after them.
  package func report(
    line: @autoclosure () -> [UInt8], text: (Bool) -> String?, of app: String?, isFrequent: Bool = false
  ) {
    let count = unsent.count
    for client in clients.values where client.watches(app) {
      guard !unsent[count...].contains(where: { $0.line.style == client.text }) else { continue }
      if let style = client.text {
        if let text = text(style == .colored) { unsent.append((app, .text(text, style))) }
      } else {
        unsent.append((app, .record(line())))
      }
    }
    guard unsent.count > count else { return }
    guard isFrequent, unsent.count < Self.maximumUnsent else { return sendEvents() }
    if sending == nil {
      sending = loop.schedule(after: .milliseconds(10)) { [weak self] in self?.assumeIsolated { $0.sendEvents() } }
    }
  }

  private func sendEvents() {
    sending?.cancel()
    sending = nil
    guard !unsent.isEmpty else { return }
    for client in clients.values where client.watched != nil {
      var records: [UInt8] = []
      var texts = EventLines()
      for (app, line) in unsent where client.watches(app) && line.style == client.text {
        switch line {
        case .record(let bytes): records += bytes
        case .text(let text, _): texts.lines.append(text)
        }
      }
      client.socket.send(texts.lines.isEmpty ? records : JSONLine.encode(texts))
    }
    unsent = []
  }

  private func sendState(to client: Client) {
    let events = currentState().filter { client.watches($0.app) }
    guard let style = client.text else {
      for event in events { client.socket.send(JSONLine.encode(event)) }
      return
    }
    let lines = events.map { event in
      let time = Timestamp(date: event.time) ?? .now
      return EventLine.text(event, at: time.clock, isColored: style == .colored)
    }
    if !lines.isEmpty { client.socket.send(JSONLine.encode(EventLines(lines: lines))) }
  }

  private func accept() {
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else {
      // The listener stays readable; watching it would take all the time of the loop.
      if errno == EMFILE || errno == ENFILE { pauseListening() }
      return
    }
    let socket = LineSocket(loop: loop, descriptor: descriptor, maximumLine: Self.maximumInput)
    guard socket.peer?.user == geteuid() else { return socket.close() }
    connections.removeAll { $0.socket == nil }
    guard connections.count < Self.maximumClients else {
      let reason = "the phone has \(Self.maximumClients) connections, which is the limit; close one and try again."
      socket.send(JSONLine.encode(ControlReply(error: reason)))
      return socket.close()
    }
    connections.append(Connection(socket: socket))
    lastClient += 1
    let id = lastClient
    clients[id] = Client(socket: socket)
    socket.handle { [weak self] event in self?.assumeIsolated { $0.receive(event, from: id) } }
  }

  private func pauseListening() {
    source = nil
    pause = loop.schedule(after: Self.descriptorPause) { [weak self] in
      self?.assumeIsolated { this in
        if this.isListening { this.start() }
      }
    }
  }

  private func drop(_ id: Int) { clients.removeValue(forKey: id)?.socket.close() }

  private func receive(_ event: LineSocket.Event, from id: Int) {
    guard let client = clients[id] else { return }
    switch event {
    case .line(let line):
      if let hello, !client.isBusy, client.lines.isEmpty, JSONLine.has("hello", line) {
        clients[id] = nil
        return hello(client.socket, line)
      }
      guard client.size + line.count <= Self.maximumInput, client.lines.count < Self.maximumRequests else {
        let reason =
          "more than \(Self.maximumRequests) requests, or \(Self.maximumInput) bytes of them, wait for their replies; "
          + "read the replies before you send more."
        send(ControlReply(error: reason), to: id)
        return drop(id)
      }
      clients[id]?.lines.append(line)
      clients[id]?.size += line.count
    case .ended: clients[id]?.hasEnded = true
    case .lineTooLong:
      send(ControlReply(error: "a line may have \(Self.maximumInput) bytes."), to: id)
      return drop(id)
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
      clients[id]?.size -= line.count
      guard let request = try? JSONLine.decode(ControlRequest.self, line) else {
        let commands = ControlRequest.Command.allCases.map(\.rawValue).joined(separator: ", ")
        let reason = "expected {\"command\": ...}, perhaps with \"app\"; the commands are \(commands)."
        send(ControlReply(error: reason), to: id)
        continue
      }
      if request.command == .events {
        sendEvents()
        clients[id]?.watched = request.apps ?? request.app.map { [$0] } ?? []
        clients[id]?.text = request.text
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
