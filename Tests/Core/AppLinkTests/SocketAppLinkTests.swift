import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import Glibc
import Testing

@Suite("A link between two processes", .timeLimit(.minutes(5)))
struct SocketAppLinkTests {
  private typealias AppEnd = ReceivingEnd<AppMessage, PhoneMessage>
  private typealias SystemEnd = ReceivingEnd<PhoneMessage, AppMessage>

  fileprivate static let loop = EventLoop(name: "links")

  private static func socket(_ descriptor: CInt) -> LineSocket {
    LineSocket(loop: loop, descriptor: descriptor, maximumLine: JSONLine.maximumLength)
  }

  private static func sockets() -> (CInt, CInt) {
    var ends: [CInt] = [-1, -1]
    unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    return (ends[0], ends[1])
  }

  private static func makeLink() -> (app: AppEnd, system: SystemEnd) {
    let (ours, theirs) = sockets()
    return (
      AppEnd(socket(ours)),
      SystemEnd(socket(theirs)) { .refused(reason: $0) }
    )
  }

  private func all<Message: Sendable>(_ incoming: AsyncStream<Message>, first limit: Int = .max) async -> [Message] {
    await incoming.prefix(limit).reduce(into: []) { $0.append($1) }
  }

  @Test("Messages arrive in the order in which they were sent, those before a closing too")
  func order() async {
    let (app, system) = Self.makeLink()
    for message in Samples.appMessages { app.send(message) }
    for message in Samples.systemMessages { system.send(message) }
    async let atApp = all(app.incoming, first: Samples.systemMessages.count)
    async let atSystem = all(system.incoming, first: Samples.appMessages.count)
    #expect(await atApp == Samples.systemMessages)
    #expect(await atSystem == Samples.appMessages)
    app.send(.didBecomeIdle)
    app.close()
    app.send(.didFinish)
    #expect(await all(system.incoming) == [.didBecomeIdle])
  }

  @Test("More than a socket holds arrives whole, also when the sender lets go of it")
  func much() async {
    let (app, system) = Self.makeLink()
    let count = 3_000
    for number in 0..<count {
      app.send(
        .peripheral(
          .number(0), .respond(RequestID(rawValue: number), error: nil, value: [UInt8](repeating: 255, count: 20))))
    }
    app.close()
    let arrived = await all(system.incoming)
    #expect(arrived.count == count)
    #expect(
      arrived.last
        == .peripheral(
          .number(0), .respond(RequestID(rawValue: count - 1), error: nil, value: .init(repeating: 255, count: 20))))
  }

  @Test("An end that takes nothing is given up before the memory is full")
  func deaf() async {
    let (ours, theirs) = Self.sockets()
    defer { close(theirs) }
    var budget = MemoryBudget()
    budget.output.one = 1 << 16
    let app = AppEnd(
      LineSocket(
        loop: Self.loop, descriptor: ours, maximumLine: JSONLine.maximumLength, budget: SharedMemoryBudget(budget)))
    for number in 0..<300 {
      app.send(
        .peripheral(
          .number(0), .respond(RequestID(rawValue: number), error: nil, value: [UInt8](repeating: 255, count: 512))))
    }
    #expect(await all(app.incoming).isEmpty)
  }

  @Test("The end of a process ends the link", arguments: [true, false])
  func end(byApp: Bool) async {
    let (ours, theirs) = Self.sockets()
    if byApp {
      let system = SystemEnd(Self.socket(ours))
      Glibc.close(theirs)
      #expect(await all(system.incoming).isEmpty)
    } else {
      let app = AppEnd(Self.socket(ours))
      // The other end receives a reset connection if a byte is unread.
      app.send(.didFinish)
      Glibc.close(theirs)
      #expect(await all(app.incoming).isEmpty)
    }
  }

  @Test("A link that its own side has closed ends, before and after it receives")
  func closed() async {
    let (ours, theirs) = Self.sockets()
    defer { close(theirs) }
    let link = SocketAppLink<AppMessage, PhoneMessage>(Self.socket(ours))
    link.close()
    #expect(await all(link.messages(on: Self.loop)).isEmpty)
    let (app, system) = Self.makeLink()
    app.close()
    #expect(await all(app.incoming).isEmpty)
    #expect(await all(system.incoming).isEmpty)
  }

  @Test("A link that is closed as it receives its first message is released")
  func released() async throws {
    let (ours, theirs) = Self.sockets()
    defer { close(theirs) }
    weak var released: SocketAppLink<PhoneMessage, AppMessage>?
    do {
      let first = Array("{\"didFinish\":{}}".utf8)
      let link = SocketAppLink<PhoneMessage, AppMessage>(Self.socket(ours), first: first)
      released = link
      link.receive(on: Self.loop) { _ in link.close() }
    }
    for _ in 0..<200 where released != nil { try await Self.loop.sleep(for: .milliseconds(5)) }
    #expect(released == nil)
  }

  @Test("A line that was read before the link was made comes first")
  func inputBefore() async {
    let (ours, theirs) = Self.sockets()
    let system = SystemEnd(Self.socket(ours), first: Array("{\"didFinish\":{}}".utf8))
    let rest = Array("{\"didBecomeIdle\":{}}\n".utf8)
    unsafe write(theirs, rest, rest.count)
    Glibc.close(theirs)
    #expect(await all(system.incoming) == [.didFinish, .didBecomeIdle])
  }

  @Test(
    "What is no message is refused with the line and the reason, and ends the link",
    arguments: [
      ("nonsense", "The given data was not valid JSON."),
      (
        "{\"endBackgroundTask\":{\"id\":\"2\"}}",
        "endBackgroundTask.id: Expected to decode Int but found a string instead."
      ),
      ("{\"endBackgroundTask\":{}}", "endBackgroundTask: No value associated with key"),
      ("{}", ""),
    ])
  func refusal(line: String, reason: String) async throws {
    let (ours, theirs) = Self.sockets()
    let system = SystemEnd(Self.socket(ours)) { .refused(reason: $0) }
    let app = AppEnd(Self.socket(theirs))
    app.send(.didFinish)
    let raw = Array("\(line)\n{\"didBecomeIdle\":{}}\n".utf8)
    unsafe write(theirs, raw, raw.count)
    #expect(await all(system.incoming) == [.didFinish])
    let answers = await all(app.incoming)
    guard case .refused(let refusal)? = answers.first else {
      Issue.record("\(answers)")
      return
    }
    #expect(refusal.hasPrefix(reason), "\(refusal)")
    #expect(answers.count == 1)
  }

  @Test("A line without an end is refused before the memory is full")
  func endless() async {
    let (ours, theirs) = Self.sockets()
    let system = SystemEnd(LineSocket(loop: Self.loop, descriptor: ours, maximumLine: 1 << 18)) { .refused(reason: $0) }
    let writer = Task.detached {
      let part = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 16)
      while unsafe send(theirs, part, part.count, CInt(MSG_NOSIGNAL)) > 0 {}
      Glibc.close(theirs)
    }
    #expect(await all(system.incoming).isEmpty)
    await writer.value
  }
}

/// An end of a link whose messages are kept until they are asked for.
private struct ReceivingEnd<Outgoing: JSONLineWritable, Incoming: JSONLineReadable> {
  let incoming: AsyncStream<Incoming>
  private let link: SocketAppLink<Outgoing, Incoming>

  init(
    _ socket: LineSocket, first: [UInt8]? = nil, refusal: @escaping @Sendable (String) -> Outgoing? = { _ in nil }
  ) {
    link = SocketAppLink(socket, first: first, refusal: refusal)
    incoming = link.messages(on: SocketAppLinkTests.loop)
  }

  func send(_ message: Outgoing) { link.send(message) }
  func close() { link.close() }
}
