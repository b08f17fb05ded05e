import BleperaLoop
import Glibc
import Synchronization
import Testing

@testable import CoreBluetooth

@Suite("The buffers of a channel", .timeLimit(.minutes(5)))
struct ChannelBufferTests {
  /// A stream that has input once, and on which a thread that waits can be held up.
  private final class HeldStream: ByteStream {
    let input = Mutex<[UInt8]>([])
    let readiness = Mutex<Readiness>([])
    let hold = Mutex<(@Sendable () -> Void)?>(nil)

    func read(upTo limit: Int) -> [UInt8]? {
      input.withLock { input in
        let bytes = Array(input.prefix(limit))
        input.removeFirst(bytes.count)
        return bytes
      }
    }

    func write(_ bytes: ArraySlice<UInt8>) -> Int? { bytes.count }

    func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void) {
      let hold = self.hold.withLock { hold in
        defer { hold = nil }
        return hold
      }
      hold?()
      self.readiness.withLock { $0 = readiness }
    }

    func close() {}
  }

  @Test("A thread that is held up before it waits does not undo the wait of another thread")
  func order() async {
    let stream = HeldStream()
    let buffer = ChannelBuffer(stream)
    let full = [UInt8](repeating: 1, count: 1 << 14)
    stream.input.withLock { $0 = full }
    // The writer finds the input full and is held up; the reader then makes room.
    let hasRead = Mutex(false)
    stream.hold.withLock {
      $0 = {
        Thread.detachNewThread {
          _ = buffer.read(upTo: full.count)
          hasRead.withLock { $0 = true }
        }
        // The wait has a limit, so that the test ends if the reader cannot continue before the writer.
        for _ in 0..<100 where !hasRead.withLock({ $0 }) { usleep(1000) }
      }
    }
    _ = unsafe [1].withUnsafeBufferPointer { unsafe buffer.write($0) }
    while !hasRead.withLock({ $0 }) { await Task.yield() }
    #expect(stream.readiness.withLock { $0 } == .reading)
  }

  /// Both directions at once over small buffers of the kernel, from a thread each.
  @Test("Everything arrives in both directions", arguments: 0..<5)
  func bothDirections(round: Int) async throws {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    var size: CInt = 4096
    for end in ends { unsafe setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, 4) }
    let buffer = ChannelBuffer(SocketStream(ends[0]))
    let peer = ends[1]
    let total = 100_000
    let counts = await withTaskGroup { group in
      group.addThread {
        var count = 0
        while count < total {
          let bytes = buffer.read(upTo: 4000)
          if bytes.isEmpty { break }
          count += bytes.count
        }
        return count
      }
      group.addThread {
        let block = [UInt8](repeating: 1, count: total)
        var rest = block[...]
        while !rest.isEmpty {
          let count = unsafe rest.withUnsafeBufferPointer { unsafe buffer.write($0) }
          if count <= 0 { break }
          rest = rest.dropFirst(count)
        }
        return total - rest.count
      }
      group.addThread {
        var block = [UInt8](repeating: 0, count: 8192)
        var count = 0
        while count < total {
          let new = unsafe recv(peer, &block, block.count, 0)
          if new <= 0 { break }
          count += new
        }
        return count
      }
      group.addThread {
        let block = [UInt8](repeating: 2, count: 3000)
        var count = 0
        while count < total {
          let new = unsafe send(peer, block, min(block.count, total - count), CInt(MSG_NOSIGNAL))
          if new <= 0 { break }
          count += new
        }
        return count
      }
      return await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(counts == [total, total, total, total])
    buffer.closeInput()
    buffer.closeOutput()
    close(peer)
  }
}

extension TaskGroup<Int> {
  /// Runs `body` on a thread of its own, since it blocks.
  fileprivate mutating func addThread(_ body: @escaping @Sendable () -> Int) {
    addTask {
      await withCheckedContinuation { done in Thread.detachNewThread { done.resume(returning: body()) } }
    }
  }
}
