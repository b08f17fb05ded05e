package import EventLoop
import Glibc

/// Takes requests on a system's socket, one JSON object a line, and answers each in order.
package actor ControlServer {
  /// Called on the loop's thread.
  package typealias Answer = nonisolated(nonsending) @Sendable (ControlRequest) async -> ControlReply

  package nonisolated let loop: EventLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private let address: ControlAddress
  private let answer: Answer
  private let lock: CInt
  private let listener: CInt
  private var source: EventSource?
  private var clients: [Int: Client] = [:]
  private var lastClient = 0

  /// Bytes that a client may have sent ahead of its answers.
  private static let maximumInput = 1 << 16

  private struct Client {
    let descriptor: CInt
    var source: EventSource
    var input: [UInt8] = []
    /// Whether a request is being answered; the next one waits.
    var isBusy = false
    /// Whether it sends no more; it still gets its answers.
    var hasEnded = false
  }

  /// Takes the name; from `start` on requests are heard.
  ///
  /// - Throws: `ControlFailure.runsAlready` while another process has the name.
  package init(
    loop: EventLoop, address: ControlAddress, answer: @escaping Answer
  ) throws(ControlFailure) {
    self.loop = loop
    self.address = address
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

  /// Gives the name back and removes what stands in the folder.
  package func close() {
    guard source != nil else { return }
    source = nil
    for id in Array(clients.keys) { drop(id) }
    unsafe unlink(address.socket)
    unsafe unlink(address.lock)
    Glibc.close(listener)
    Glibc.close(lock)
  }

  private func accept() {
    let descriptor = Glibc.accept(listener, nil, nil)
    guard descriptor >= 0 else { return }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    lastClient += 1
    let id = lastClient
    clients[id] = Client(
      descriptor: descriptor,
      source: loop.watch(descriptor: descriptor, for: .reading) { [weak self] _ in
        self?.assumeIsolated { $0.take(from: id) }
      })
  }

  private func drop(_ id: Int) {
    guard let client = clients.removeValue(forKey: id) else { return }
    client.source.cancel()
    Glibc.close(client.descriptor)
  }

  private func take(from id: Int) {
    guard let client = clients[id] else { return }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(client.descriptor, &buffer, buffer.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count >= 0, client.input.count + count <= Self.maximumInput else { return drop(id) }
    if count == 0 {
      clients[id]?.hasEnded = true
      client.source.cancel()
    }
    clients[id]?.input += buffer[..<count]
    answerNext(id)
  }

  /// Answers what is there, up to a request that takes its time.
  private func answerNext(_ id: Int) {
    while let client = clients[id], !client.isBusy {
      guard let end = client.input.firstIndex(of: UInt8(ascii: "\n")) else {
        if client.hasEnded { drop(id) }
        return
      }
      clients[id]?.input.removeSubrange(...end)
      guard let request = try? ControlLine.decode(ControlRequest.self, client.input[..<end]) else {
        let commands = ControlRequest.Command.allCases.map(\.rawValue).joined(separator: ", ")
        let reason = "a request is {\"command\":...} with one of \(commands), and perhaps \"app\"."
        send(ControlReply(error: reason), to: id)
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

  /// A client that does not take its answer is dropped: an answer is smaller than a socket's buffer.
  private func send(_ reply: ControlReply, to id: Int) {
    guard let client = clients[id] else { return }
    guard let line = try? ControlLine.encode(reply) else { return drop(id) }
    let count = unsafe line.withUnsafeBytes {
      unsafe Glibc.send(client.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
    }
    if count != line.count { drop(id) }
  }
}
