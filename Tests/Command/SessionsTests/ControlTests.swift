import BleperaAppLink
import BleperaEventLoop
import BleperaLoop
import BleperaSessions
import BusTesting
import Glibc
import Testing

@Suite("The control socket")
struct ControlTests {
  /// A folder for XDG_RUNTIME_DIR, removed with what `body` leaves in it.
  private func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try await body(folder.path)
  }

  private func address(_ folder: String, _ name: String = "default") throws -> ControlAddress {
    try ControlAddress(name: name, environment: { ["XDG_RUNTIME_DIR": folder][$0] }, user: geteuid())
  }

  @Test(
    "The folder is the user's own, whatever the environment has",
    arguments: [
      ("/run/user/1000", "/run/user/1000/blepera/default.socket"), (nil, "/tmp/blepera-7/default.socket"),
      ("relative", "/tmp/blepera-7/default.socket"), ("", "/tmp/blepera-7/default.socket"),
    ])
  func folder(runtime: String?, expected: String) throws {
    let address = try ControlAddress(
      name: "default", environment: { $0 == "XDG_RUNTIME_DIR" ? runtime : nil }, user: 7)
    #expect(address.socket == expected)
  }

  @Test("A lab's folder comes before the user's")
  func labFolder() throws {
    let environment = ["BLEPERA_RUNTIME_DIR": "/run/lab", "XDG_RUNTIME_DIR": "/run/user/1000"]
    #expect(
      try ControlAddress(name: "a", environment: { environment[$0] }, user: 7).socket == "/run/lab/a.socket")
  }

  @Test(
    "A name is made of any text, and is another one where it is taken",
    arguments: [
      ("heart-rate", [], "heart-rate"), ("heart-rate", ["heart-rate"], "heart-rate-2"),
      ("heart-rate", ["heart-rate", "heart-rate-2"], "heart-rate-3"), ("", [], "phone"), ("a b/c", [], "a-b-c"),
      ("ä", [], "--"),
      (
        String(repeating: "a", count: 40), [String(repeating: "a", count: 28)], String(repeating: "a", count: 28) + "-2"
      ),
    ] as [(String, [String], String)])
  func names(text: String, taken: [String], expected: String) throws {
    let name = ControlAddress.name(like: text, besides: taken)
    #expect(name == expected)
    #expect(try ControlAddress(name: name, folder: "/" + String(repeating: "b", count: 66)).name == name)
    #expect(ControlAddress.longestFolder == 67)
  }

  @Test(
    "A name that could leave the folder is refused",
    arguments: ["", "..", "a/b", "a b", String(repeating: "a", count: 33)])
  func badName(name: String) {
    #expect(throws: ControlFailure.badName(name)) {
      try ControlAddress(name: name, environment: { _ in nil }, user: 7)
    }
  }

  @Test("A path that no socket can have is refused")
  func longPath() {
    let folder = "/" + String(repeating: "a", count: 100)
    #expect(throws: ControlFailure.pathTooLong("\(folder)/blepera/default.socket")) { try address(folder) }
  }

  @Test("A folder that others can enter is refused")
  func openFolder() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      unsafe mkdir(address.folder, 0o755)
      unsafe chmod(address.folder, 0o755)
      let refusal = ControlFailure.unsafeFolder(address.folder, reason: "is accessible to other users")
      #expect(throws: refusal) { try address.prepareFolder() }
      await #expect(throws: refusal) { try await ControlConnection.ask(ControlRequest(.status), at: address) }
    }
  }

  @Test("A symbolic link in the folder's place is refused")
  func link() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      unsafe symlink("/tmp", address.folder)
      #expect(throws: ControlFailure.unsafeFolder(address.folder, reason: "is not a folder")) {
        try address.prepareFolder()
      }
      unsafe unlink(address.folder)
    }
  }

  @Test("where only another phone runs, the error names it")
  func another() async throws {
    try await withFolder { folder in
      let loop = EventLoop(name: "control")
      let server = try ControlServer(loop: loop, address: try address(folder, "two")) { _ in .done }
      await server.start()
      let wanted = try address(folder)
      let failure = ControlFailure.notRunning(name: "default", socket: wanted.socket, others: ["two"])
      await #expect(throws: failure) { try await ControlConnection.ask(ControlRequest(.status), at: wanted) }
      #expect("\(failure)".hasSuffix("choose a running one with --system: two."))
      // Until it is the default one.
      try address(folder, "two").becomeDefault()
      #expect(try await ControlConnection.ask(ControlRequest(.background), at: wanted) == .done)
      unsafe unlink(wanted.socket)
      await server.close()
    }
  }

  @Test("where no phone runs, the error says how to start one")
  func notRunning() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      await #expect(throws: ControlFailure.notRunning(name: "default", socket: address.socket)) {
        try await ControlConnection.ask(ControlRequest(.status), at: address)
      }
    }
  }

  @Test("A request arrives, and its reply is returned; nothing is left at the end")
  func exchange() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let server = try ControlServer(loop: EventLoop(name: "test"), address: address) { request in
        ControlReply(error: "\(request.command.rawValue) of \(request.app ?? "all")")
      }
      await server.start()
      var info = stat()
      #expect(unsafe lstat(address.folder, &info) == 0 && info.st_mode & 0o777 == 0o700)
      #expect(unsafe lstat(address.socket, &info) == 0 && info.st_mode & 0o777 == 0o600)
      for command in ControlRequest.Command.allCases where command != .events {
        let reply = try await ask(address, ControlRequest(command, app: "one"))
        #expect(reply == ControlReply(error: "\(command.rawValue) of one"))
      }
      await server.close()
      #expect(unsafe lstat(address.socket, &info) != 0)
      #expect(unsafe lstat("\(address.folder)/default.lock", &info) != 0)
    }
  }

  @Test("A name is taken by one at a time, and free again after its end; another name is free all the while")
  func taken() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let first = try ControlServer(loop: EventLoop(name: "test"), address: address) { _ in .done }
      await first.start()
      #expect(throws: ControlFailure.alreadyRunning(name: "default")) {
        try ControlServer(loop: EventLoop(name: "test"), address: address) { _ in .done }
      }
      let other = try ControlServer(loop: EventLoop(name: "test"), address: self.address(folder, "other")) { _ in .done
      }
      await other.start()
      await other.close()
      await first.close()
      let second = try ControlServer(loop: EventLoop(name: "test"), address: address) { _ in .done }
      await second.start()
      #expect(try await ask(address, ControlRequest(.lock)) == .done)
      await second.close()
    }
  }

  @Test("The phone learns when a client begins to watch events and when the last one ends")
  func watching() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let changes = Mailbox<Bool>()
      let loop = EventLoop(name: "test")
      let server = try ControlServer(loop: loop, address: address, watching: { changes.put($0) }) { _ in .done }
      await server.start()
      _ = try await ask(address, ControlRequest(.lock))
      #expect(changes.left == [])
      let watchers = try (0..<2).map { _ in try ControlConnection(loop: loop, address: address) }
      for watcher in watchers { _ = try await watcher.ask(ControlRequest(.events)) }
      #expect(try await changes.next(2) == [true, true])
      for (watcher, isWatched) in zip(watchers, [true, false]) {
        watcher.close()
        #expect(try await changes.next() == isWatched)
      }
      await server.close()
    }
  }

  @Test("A socket that a killed system left is taken over")
  func stale() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      try address.prepareFolder()
      let file = unsafe open(address.socket, O_CREAT | O_WRONLY, 0o600)
      close(file)
      let server = try ControlServer(loop: EventLoop(name: "test"), address: address) { _ in .done }
      await server.start()
      #expect(try await ask(address, ControlRequest(.unlock)) == .done)
      await server.close()
    }
  }

  @Test("Who has said all it wants to say still gets every answer, in order; a bad line gets a reason, and is the last")
  func halfClosed() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let server = try ControlServer(loop: EventLoop(name: "test"), address: address) { request in
        ControlReply(error: request.command.rawValue)
      }
      await server.start()
      let (lock, unlock) = (#"{"command":"lock"}"# + "\n", #"{"command":"unlock"}"# + "\n")
      for bad in ["\n", #"{"command":"nothing"}"# + "\n"] {
        let input = lock + unlock + bad + lock
        let output = try await Task.detached { try Self.talk(to: address.socket, input) }.value
        let lines = output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == #"{"error":"lock"}"# && lines.dropFirst().first == #"{"error":"unlock"}"#)
        #expect(lines.last?.contains("expected {") == true)
      }
      let output = try await Task.detached { try Self.talk(to: address.socket, lock + unlock) }.value
      #expect(output == #"{"error":"lock"}"# + "\n" + #"{"error":"unlock"}"# + "\n")
      await server.close()
    }
  }

  @Test("Settling waits for a request in progress")
  func settles() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let loop = EventLoop(name: "test")
      let (requests, received) = AsyncStream.makeStream(of: Void.self)
      let server = try ControlServer(loop: loop, address: address) { _ in
        received.yield()
        try? await loop.sleep(for: .milliseconds(200))
        return .done
      }
      await server.start()
      async let reply = ask(address, ControlRequest(.lock))
      for await _ in requests { break }
      await server.settle()
      await server.close()
      #expect(try await reply == .done)
    }
  }

  @Test("Who never ends a line is dropped, and others are served all the while")
  func endlessLine() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let server = try ControlServer(loop: EventLoop(name: "test"), address: address) { _ in .done }
      await server.start()
      let flood = String(repeating: "x", count: 1 << 17)
      let output = try await Task.detached { try Self.talk(to: address.socket, flood) }.value
      #expect(output.isEmpty)
      #expect(try await ask(address, ControlRequest(.lock)) == .done)
      await server.close()
    }
  }

  @Test("A line that is too long, and too many requests, are refused with the limit")
  func limits() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let loop = EventLoop(name: "test")
      let server = try ControlServer(loop: loop, address: address) { request in
        if request.command == .lock { try? await loop.sleep(for: .seconds(30)) }
        return .done
      }
      await server.start()
      let line = String(repeating: "x", count: ControlServer.maximumInput + 1)
      let refused = try await Task.detached { try Self.talk(to: address.socket, line) }.value
      #expect(refused.contains("a line may have 1048576 bytes."))
      let requests = String(repeating: "{\"command\":\"lock\"}\n", count: ControlServer.maximumRequests + 2)
      let output = try await Task.detached { try Self.talk(to: address.socket, requests) }.value
      #expect(output.contains("more than 64 requests"))
      #expect(try await ask(address, ControlRequest(.unlock)) == .done)
      await server.close()
    }
  }

  /// Watches a phone, and collects the kinds of records, or the kinds and labels of texts.
  private func watch(
    _ address: ControlAddress, on loop: EventLoop, _ request: ControlRequest
  ) async throws -> (ControlConnection, Mailbox<[String]>) {
    let received = Mailbox<[String]>()
    let connection = try ControlConnection(loop: loop, address: address) { events in
      switch events {
      case .record(let record): received.put(["\(record.event)"])
      case .lines(let lines): received.put(lines.map { "\($0.event) \($0.label)" })
      }
    }
    #expect(try await connection.ask(request) == .done)
    return (connection, received)
  }

  @Test("Each watcher receives events in the form that it has asked for, and of its apps")
  func forms() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let loop = EventLoop(name: "test")
      let (on, connected) = (EventRecord(.poweredOn), EventRecord(.connected))
      let command = EventRecord(.commandReceived)
      let server = try ControlServer(loop: loop, address: address, currentState: { [on] }) { _ in .done }
      await server.start()
      let (first, records) = try await watch(address, on: loop, ControlRequest(.events))
      let (second, all) = try await watch(address, on: loop, ControlRequest(.events, isText: true))
      let (third, some) = try await watch(address, on: loop, ControlRequest(.events, apps: ["a"], isText: true))
      #expect(try await records.next() == ["poweredOn"])
      #expect(try await all.next() == ["poweredOn powered on"])
      #expect(try await some.next() == ["poweredOn powered on"])
      for (event, app) in [(command, nil), (connected, "b"), (connected, "a")] {
        await server.report(event, of: app, isFrequent: event == connected && app == "b")
      }
      for event in [command, connected, connected] { #expect(try await records.next() == ["\(event.event)"]) }
      // In one message, if they came within 10 ms.
      var lines: [String] = []
      while lines.count < 2 { lines += try await all.next() }
      #expect(lines == ["connected connected", "connected connected"])
      #expect(try await some.next() == ["connected connected"])
      for connection in [first, second, third] { connection.close() }
      await server.close()
    }
  }

  @Test("A connection beyond the limit receives the reason, and another one is served when some have closed")
  func manyConnections() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let server = try ControlServer(loop: EventLoop(name: "test"), address: address) { _ in .done }
      await server.start()
      var open: [CInt] = []
      for _ in 0..<ControlServer.maximumClients { open.append(try address.connect()) }
      let refused = try await Task.detached { try Self.talk(to: address.socket, "") }.value
      #expect(refused.contains("the phone has 256 connections, which is the limit"))
      for descriptor in open { close(descriptor) }
      // The server notices the closed connections one by one; until then it may close a connection before the request.
      var reply = ControlReply(error: "")
      for _ in 0..<500 where reply != .done { reply = (try? await ask(address, ControlRequest(.unlock))) ?? reply }
      #expect(reply == .done)
      await server.close()
    }
  }

  @Test("A flood of line feeds is answered once")
  func lineFeeds() async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let server = try ControlServer(loop: EventLoop(name: "test"), address: address) { _ in .done }
      await server.start()
      let feeds = String(repeating: "\n", count: 1 << 12)
      let output = try await Task.detached { try Self.talk(to: address.socket, feeds) }.value
      #expect(output.split(separator: "\n").count == 1)
      await server.close()
    }
  }

  @Test("Of events that nobody reads some are omitted, and counted when the others are read", arguments: [false, true])
  func unreadEvents(isText: Bool) async throws {
    try await withFolder { folder in
      let address = try address(folder)
      let budget = SharedMemoryBudget()
      let server = try ControlServer(loop: EventLoop(name: "test"), address: address, budget: budget) { _ in .done }
      await server.start()
      let watcher = try address.connect()
      defer { close(watcher) }
      let request = JSONLine.encode(ControlRequest(.events, isText: isText))
      #expect(unsafe write(watcher, request, request.count) == request.count)
      var received = Self.read(watcher)
      #expect(received == Array(#"{}"#.utf8) + [UInt8(ascii: "\n")])
      received = []
      var event = EventRecord(.connected)
      event.time = Timestamp.now.date
      let count = 60_000
      for _ in 0..<count { await server.report(event, of: nil) }
      #expect(budget.used <= 1 << 20 && budget.used > 1 << 19)
      // Others are served meanwhile.
      #expect(try await ask(address, ControlRequest(.lock)) == .done)
      let omission = Array(isText ? "omitted".utf8 : "eventsOmitted".utf8)
      while received.count < 1 << 10 || received.suffix(1 << 10).firstRange(of: omission) == nil {
        received += Self.read(watcher)
      }
      let text = String(decoding: received, as: UTF8.self)
      let events = text.split(separator: "\n").count { $0.contains("connected") }
      let omitted = text.split(separator: "\n").last?.firstMatch(of: /"count":(\d+)|(\d+) events:/)?.output
      let number = omitted.flatMap { $0.1 ?? $0.2 }.flatMap { Int($0) }
      #expect(events < count && number == count - events, "\(text.suffix(200))")
      #expect(budget.used == 0)
      await server.report(event, of: nil)
      #expect(!Self.read(watcher).isEmpty)
      await server.close()
    }
  }

  private static func read(_ descriptor: CInt) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  /// Sends all of it, closes that direction, and reads to the end.
  private static func talk(to path: String, _ text: String) throws -> String {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8) + [0]) }
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    shutdown(descriptor, CInt(SHUT_WR))
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      output += buffer[..<count]
    }
    return String(decoding: output, as: UTF8.self)
  }

  private func ask(_ address: ControlAddress, _ request: ControlRequest) async throws -> ControlReply {
    try await ControlConnection.ask(request, at: address)
  }
}
