import BleperaEventLoop
import Glibc
import Synchronization
import Testing

@testable import BleperaLoop

@Suite("A socket whose other side sends too much, or reads nothing", .timeLimit(.minutes(5)))
struct SocketPressureTests {
  private static let loop = EventLoop(name: "pressure")

  /// A socket, what its handler receives, and the other end, which does not block.
  private struct Stage: Sendable {
    let own: LineSocket
    let other: CInt
    let events: AsyncStream<LineSocket.Event>

    init(_ budget: SharedMemoryBudget = SharedMemoryBudget()) throws {
      var ends: [CInt] = [-1, -1]
      try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      own = LineSocket(loop: loop, descriptor: ends[0], maximumLine: 1 << 20, budget: budget)
      other = ends[1]
      _ = fcntl(other, F_SETFL, O_NONBLOCK)
      let (events, continuation) = AsyncStream.makeStream(of: LineSocket.Event.self)
      self.events = events
      own.handle { continuation.yield($0) }
    }

    /// Returns how much the socket has accepted.
    func write(_ text: String) -> Int {
      let bytes = Array(text.utf8)
      return unsafe Glibc.send(other, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Reads what there is; nil at the end.
    func read() -> Int? {
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      let count = unsafe Glibc.read(other, &buffer, buffer.count)
      return count == 0 ? nil : max(0, count)
    }
  }

  private static func text(_ event: LineSocket.Event) -> String? {
    if case .line(let line) = event { String(decoding: line, as: UTF8.self) } else { nil }
  }

  @Test("A paused socket reads nothing, so that the other side blocks; when it is resumed, all lines come in order")
  func pausing() async throws {
    let stage = try Stage()
    defer { close(stage.other) }
    var events = stage.events.makeAsyncIterator()
    #expect(stage.write("first\n") == 6)
    let first = await events.next()
    #expect(first == .line(Array("first".utf8)))
    stage.own.pause()
    var sent = 0
    while stage.write("\(sent)\n") > 0 { sent += 1 }
    #expect(errno == EAGAIN && sent > 100)
    stage.own.resume()
    for number in 0..<sent {
      let event = await events.next()
      #expect(event.flatMap(Self.text) == "\(number)")
    }
    #expect(stage.write("last\n") == 5)
    let last = await events.next()
    #expect(last == .line(Array("last".utf8)))
  }

  @Test("A socket that is paused by a line delivers the next one when it is resumed, though it was read before")
  func pausedByLine() async throws {
    let stage = try Stage()
    defer { close(stage.other) }
    let lines = Mutex<[String]>([])
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    stage.own.handle { [weak own = stage.own] event in
      guard let text = Self.text(event) else { return }
      lines.withLock { $0.append(text) }
      if text == "pause" { own?.pause() }
      turn.yield()
    }
    var next = turns.makeAsyncIterator()
    #expect(stage.write("pause\nafter\nlast\n") == 17)
    await next.next()
    #expect(lines.withLock { $0 } == ["pause"])
    stage.own.resume()
    await next.next()
    await next.next()
    #expect(lines.withLock { $0 } == ["pause", "after", "last"])
  }

  @Test("The end of the other side is received while the socket is paused")
  func ending() async throws {
    let stage = try Stage()
    stage.own.pause()
    #expect(stage.write("lost\n") == 5)
    close(stage.other)
    var events = stage.events.makeAsyncIterator()
    let end = await events.next()
    #expect(end == .ended)
  }

  @Test("What is offered is left out while too much is unread, and the handler is called when all has been read")
  func offers() async throws {
    let budget = SharedMemoryBudget()
    let stage = try Stage(budget)
    defer { close(stage.other) }
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 10)
    var accepted = 0
    while stage.own.offer(bytes) { accepted += 1 }
    #expect((1 << 20 - bytes.count...1 << 20).contains(budget.used))
    #expect(!stage.own.offer(bytes))
    // Replies are not left out.
    stage.own.send(bytes)
    accepted += 1
    var received = 0
    while received < accepted * bytes.count {
      received += try #require(stage.read())
      try await Self.loop.sleep(for: .milliseconds(1))
    }
    var events = stage.events.makeAsyncIterator()
    let drained = await events.next()
    #expect(drained == .drained)
    #expect(received == accepted * bytes.count && budget.used == 0)
    #expect(stage.own.offer(bytes))
  }

  @Test("A socket that needs more than the others leave is closed: for a reply, and for an unfinished line")
  func exhausted() async throws {
    var limits = MemoryBudget()
    limits.output = MemoryBudget.Limit(always: 1 << 10, one: 1 << 16, all: 1 << 17)
    limits.input = MemoryBudget.Limit(always: 1 << 10, one: 1 << 14, all: 1 << 15)
    let budget = SharedMemoryBudget(limits)
    let (deaf, mute) = (try Stage(budget), try Stage(budget))
    defer { for stage in [deaf, mute] { close(stage.other) } }
    for _ in 0..<20 { deaf.own.send([UInt8](repeating: 0, count: 1 << 15)) }
    while let count = deaf.read() { #expect(count >= 0) }
    let half = String(repeating: "x", count: 1 << 15)
    #expect(mute.write(half) == half.utf8.count)
    var events = mute.events.makeAsyncIterator()
    let refusal = await events.next()
    #expect(refusal == .budgetUsed)
    #expect(budget.used == 0)
  }
}
