import BleperaEventLoop
import BleperaLoop
import Glibc
import Synchronization
import Testing

/// The sockets keep the boundaries of packets, so that a packet is what one system call has sent.
@Suite("Lines over a socket", .timeLimit(.minutes(5)))
struct LineSocketTests {
  private static let loop = EventLoop(name: "lines")

  private static func pair() throws -> (own: LineSocket, other: CInt) {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    return (LineSocket(loop: loop, descriptor: ends[0], maximumLine: 1 << 10), ends[1])
  }

  private static func lines(_ numbers: Range<Int>) -> [UInt8] { numbers.flatMap { Array("\($0)\n".utf8) } }

  private static func packet(from descriptor: CInt) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    let count = unsafe read(descriptor, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  @Test("What is sent while the lines of a read are delivered goes together, after at most sixteen of them")
  func answersTogether() throws {
    let (own, other) = try Self.pair()
    defer { close(other) }
    own.handle { [weak own] event in if case .line(let line) = event { own?.send(line + [UInt8(ascii: "\n")]) } }
    let sent = Self.lines(0..<20)
    #expect(unsafe write(other, sent, sent.count) == sent.count)
    #expect(Self.packet(from: other) == Self.lines(0..<16))
    #expect(Self.packet(from: other) == Self.lines(16..<20))
    own.send(Array("now\n".utf8))
    #expect(Self.packet(from: other) == Array("now\n".utf8))
  }

  @Test("Many lines let other work of the loop run between them, and all come before the end")
  func turns() async throws {
    let (own, other) = try Self.pair()
    let received = Mutex<[String]>([])
    let sent = Self.lines(0..<100)
    #expect(unsafe write(other, sent, sent.count) == sent.count)
    close(other)
    await withCheckedContinuation { ended in
      let turn = Mutex<(any LoopTimer)?>(nil)
      own.handle { event in
        switch event {
        case .line(let line):
          received.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
          guard line == Array("0".utf8) else { return }
          turn.withLock { $0 = Self.loop.schedule(after: .zero) { received.withLock { $0.append("a turn") } } }
        case .lineTooLong, .budgetUsed, .drained: break
        case .ended: ended.resume()
        }
      }
    }
    let all = received.withLock { $0 }
    #expect(all.filter { $0 != "a turn" } == (0..<100).map { "\($0)" })
    #expect(all.firstIndex(of: "a turn").map { $0 < 64 } == true)
  }

  @Test(
    "After the end it is known what the other side has not read",
    arguments: [(1, 0, 1), (3, 1, 1), (1, 1, 0), (0, 0, 0)])
  func unread(sent: Int, read: Int, unreceived: Int) async throws {
    let (own, other) = try Self.pair()
    await withCheckedContinuation { ended in
      own.handle { if $0 == .ended { ended.resume() } }
      for number in 0..<sent { own.send(Self.lines(number..<number + 1)) }
      for _ in 0..<read { _ = Self.packet(from: other) }
      close(other)
    }
    #expect(own.unreceivedLines == unreceived)
  }

  @Test("What is sent after the other side has closed is not received")
  func tooLate() throws {
    let (own, other) = try Self.pair()
    close(other)
    own.send(Self.lines(0..<2))
    #expect(own.unreceivedLines == 2)
  }

  @Test("No line is delivered after the socket is closed, not even one that was read")
  func closing() async throws {
    let (own, other) = try Self.pair()
    defer { close(other) }
    let received = Mutex(0)
    own.handle { [weak own] _ in
      received.withLock { $0 += 1 }
      own?.close()
    }
    let sent = Self.lines(0..<100)
    #expect(unsafe write(other, sent, sent.count) == sent.count)
    #expect(Self.packet(from: other).isEmpty)
    try await Self.loop.sleep(for: .milliseconds(20))
    #expect(received.withLock { $0 } == 1)
  }
}
