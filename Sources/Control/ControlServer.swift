package import EventLoop
import Glibc

/// Takes requests on a system's socket, one JSON object a line, and answers each in order.
package actor ControlServer {
  /// Called on the loop's thread.
  package typealias Answer = nonisolated(nonsending) @Sendable (ControlRequest) async -> ControlReply

  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// A connection whose first line, which was read, is an app's `hello`. Called on the loop's thread.
  package typealias Hello = @Sendable (LineSocket, [UInt8]) -> Void

  /// The events that say how things stand, for who begins to watch. Called on the loop's thread.
  package typealias Greeting = @Sendable () -> [[UInt8]]

  private let address: ControlAddress
  private let answer: Answer
  private let hello: Hello?
  private let greeting: Greeting
  private let lock: CInt
  private let listener: CInt
  private var source: EventSource?
  private var isListening = true
  private var isClosed = false
  private var clients: [Int: Client] = [:]
  private var lastClient = 0

  /// Bytes that a client may have sent ahead of its answers.
  private static let maximumInput = 1 << 20

  private struct Client {
    let socket: LineSocket
    var lines: [[UInt8]] = []
    /// Whether a request is being answered; the next one waits.
    var isBusy = false
    /// Whether it sends no more; it still gets its answers.
    var hasEnded = false
    /// The apps whose events it is told, all where that is empty; nil where it is told none.
    var watched: [String]?
  }

  /// Takes the name; from `start` on requests are heard.
  ///
  /// - Throws: `ControlFailure.runsAlready` while another process has the name.
  package init(
    loop: EventLoop, address: ControlAddress, hello: Hello? = nil, greeting: @escaping Greeting = { [] },
    answer: @escaping Answer
  ) throws(ControlFailure) {
    self.loop = loop
    self.address = address
    self.hello = hello
    self.greeting = greeting
    self.answer = answer
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

  /// Held until the process ends, whatever ends it. A lock file that its last owner has just removed is not the one
  /// that stands there now.
  private static func takeLock(_ address: ControlAddress) throws(ControlFailure) -> CInt {
    while true {
      let descriptor = unsafe open(address.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(address.lock, reason: ControlAddress.text(errno)) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        Glibc.close(descriptor)
        throw .runsAlready(name: address.name)
      }
      var ours = stat()
      var there = stat()
      if unsafe fstat(descriptor, &ours) == 0, unsafe stat(address.lock, &there) == 0, ours.st_ino == there.st_ino {
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

  /// Waits until what is being asked is answered; at most three seconds.
  package func settle() async {
    let deadline = loop.now + .seconds(3)
    while clients.values.contains(where: { $0.isBusy }), loop.now < deadline {
      try? await loop.sleep(for: .milliseconds(5))
    }
  }

  /// Nobody new is heard; the name is still taken.
  package func stopListening() {
    guard isListening else { return }
    isListening = false
    source = nil
    unsafe unlink(address.socket)
    Glibc.close(listener)
  }

  /// Gives the name back and removes what stands in the folder.
  package func close() {
    stopListening()
    guard !isClosed else { return }
    isClosed = true
    for id in Array(clients.keys) { drop(id) }
    unsafe unlink(address.lock)
    Glibc.close(lock)
  }

  /// Tells an event, a JSON object, to those who watch; `app` is nil where it is none app's own. It is written only where
  /// somebody does.
  package func tell(_ event: () -> [UInt8], of app: String?) {
    let watchers = clients.values.filter { client in
      guard let watched = client.watched else { return false }
      return app.map { watched.isEmpty || watched.contains($0) } ?? true
    }
    guard !watchers.isEmpty else { return }
    let event = event()
    for watcher in watchers { watcher.socket.send(event) }
  }

  private func accept() {
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else { return }
    let socket = LineSocket(loop: loop, descriptor: descriptor, maximumLine: Self.maximumInput)
    guard socket.peer?.user == geteuid() else { return socket.close() }
    lastClient += 1
    let id = lastClient
    clients[id] = Client(socket: socket)
    socket.handle { [weak self] event in self?.assumeIsolated { $0.take(event, from: id) } }
  }

  private func drop(_ id: Int) { clients.removeValue(forKey: id)?.socket.close() }

  private func take(_ event: LineSocket.Event, from id: Int) {
    guard let client = clients[id] else { return }
    switch event {
    case .line(let line):
      if let hello, !client.isBusy, client.lines.isEmpty, ControlLine.isHello(line) {
        clients[id] = nil
        return hello(client.socket, line)
      }
      let waiting = client.lines.reduce(line.count) { $0 + $1.count }
      guard waiting <= Self.maximumInput else { return drop(id) }
      clients[id]?.lines.append(line)
    case .ended: clients[id]?.hasEnded = true
    case .lineTooLong: return drop(id)
    }
    answerNext(id)
  }

  /// Answers what is there, up to a request that takes its time.
  private func answerNext(_ id: Int) {
    while let client = clients[id], !client.isBusy {
      guard let line = client.lines.first else {
        if client.hasEnded { drop(id) }
        return
      }
      clients[id]?.lines.removeFirst()
      guard let request = try? ControlLine.decode(ControlRequest.self, line) else {
        let commands = ControlRequest.Command.allCases.map(\.rawValue).joined(separator: ", ")
        let reason = "a request is {\"command\":...} with one of \(commands), and perhaps \"app\"."
        send(ControlReply(error: reason), to: id)
        continue
      }
      if request.command == .events {
        clients[id]?.watched = request.apps ?? request.app.map { [$0] } ?? []
        send(.done, to: id)
        for event in greeting() { client.socket.send(event) }
        continue
      }
      clients[id]?.isBusy = true
      Task { finish(id, await answer(request)) }
    }
  }

  private func finish(_ id: Int, _ reply: ControlReply) {
    clients[id]?.isBusy = false
    send(reply, to: id)
    answerNext(id)
  }

  private func send(_ reply: ControlReply, to id: Int) {
    guard let client = clients[id] else { return }
    guard let line = try? ControlLine.encode(reply) else { return drop(id) }
    client.socket.send(line)
  }
}
