import BleperaEventLoop
import Glibc
import Synchronization
import Testing

@testable import BleperaLoop

@Suite("A listening socket", .timeLimit(.minutes(5)))
struct SocketListenerTests {
  @Test("Without a descriptor, nothing is accepted for a second; then what waits is", arguments: [EMFILE, ENFILE])
  func pause(error: CInt) async throws {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    // This end stays readable, as a listening socket does while a client waits.
    #expect(unsafe write(ends[1], [1], 1) == 1)
    let loop = EventLoop(name: "listener")
    let calls = Mutex<[Duration]>([])
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    let listener = SocketListener(loop: loop, descriptor: ends[0]) { [end = ends[0]] in
      let count = calls.withLock { calls in
        calls.append(loop.now)
        return calls.count
      }
      guard count > 1 else { return error }
      var byte: UInt8 = 0
      unsafe read(end, &byte, 1)
      turn.yield()
      return 0
    }
    var iterator = turns.makeAsyncIterator()
    await iterator.next()
    listener.cancel()
    let times = calls.withLock { $0 }
    #expect(times.count == 2 && times[1] - times[0] >= SocketListener.pause)
    loop.stop()
  }
}
