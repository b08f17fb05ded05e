import BleperaLoop
import Glibc
import Synchronization
import Testing

@testable import BleperaEventLoop

private actor Counter {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  private(set) var count = 0
  private(set) var inNewSession = false

  init(_ loop: EventLoop) { self.loop = loop }

  func add() {
    count += 1
    inNewSession = inNewSession || !loop.isCurrent
  }
}

@Suite("The end of an event loop", .timeLimit(.minutes(5)))
struct EventLoopEndTests {
  private let loop = EventLoop(name: "ends")

  /// Stops the loop and waits for its end.
  private func end() async {
    loop.stop()
    await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(3600)) }
  }

  @Test("A sleep ends with the loop, whether it began before or after the end")
  func sleeping() async throws {
    let sleeper = Task { try await loop.sleep(for: .seconds(3600)) }
    await end()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    await end()
  }

  @Test("Calls of an actor and tasks after the end of the loop return, one at a time and on its thread")
  func calls() async {
    let counter = Counter(loop)
    await end()
    await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { for _ in 0..<100 { await counter.add() } } }
    }
    let isCurrent = await Task(executorPreference: loop.tasks) { loop.isCurrent }.value
    #expect(isCurrent)
    #expect(await counter.count == 2000)
    #expect(await !counter.inNewSession)
  }

  @Test("A task ends when its loop is deallocated")
  func taskOfDeadLoop() async {
    let (deallocated, go) = AsyncStream.makeStream(of: Void.self)
    weak var weakLoop: EventLoop?
    let task: Task<Int, Never>
    do {
      let loop = EventLoop(name: "brief")
      weakLoop = loop
      task = Task(executorPreference: loop.tasks) {
        for await _ in deallocated {}
        return 7
      }
      loop.stop()
    }
    while weakLoop != nil { await Task.yield() }
    go.finish()
    #expect(await task.value == 7)
  }

  /// The C library gives the number of a thread that has ended to the next one.
  @Test("No other thread passes for that of a loop that has ended")
  func threads() async {
    await end()
    for _ in 0..<50 {
      let other = EventLoop(name: "next")
      let passes = await Task(executorPreference: other.tasks) { loop.isCurrent }.value
      #expect(!passes)
      other.stop()
    }
  }

  @Test("A loop ends while a task does nothing but yield, which ends when it is cancelled")
  func busy() async {
    let task = Task(executorPreference: loop.tasks) { while !Task.isCancelled { await Task.yield() } }
    await end()
    task.cancel()
    await task.value
  }

  @Test(
    "The loop waits for a timer in whole milliseconds, rounded up, and again where 32 bits have no room for them",
    arguments: [
      (.seconds(-5), 0), (.zero, 0), (.nanoseconds(1), 1), (.microseconds(1500), 2), (.milliseconds(20), 20),
      (.seconds(86_400 * 69), .max), (.seconds(Int64.max), .max),
    ] as [(Duration, CInt)])
  func delays(delay: Duration, expected: CInt) { #expect(EventLoop.milliseconds(delay) == expected) }

  @Test("Text for a pipe that nobody reads raises no signal")
  func deadPipe() throws {
    let pipe = try #require(DataPipe())
    pipe.closeReader()
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGPIPE)
    var former = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &former)
    pipe.write("text")
    var pending = sigset_t()
    unsafe sigpending(&pending)
    #expect(unsafe sigismember(&pending, SIGPIPE) == 0)
    unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
  }

  @Test("A packet of no bytes is not the end of a stream of packets")
  func emptyPackets() throws {
    var ends: [CInt] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    let stream = DescriptorStream(loop: loop, descriptor: ends[0], packet: (read: 64, write: 64))
    #expect(stream.read(upTo: 64) == [])
    for packet in [[], [1, 2], [], []] as [[UInt8]] {
      #expect(unsafe send(ends[1], packet, packet.count, CInt(MSG_NOSIGNAL)) == packet.count)
    }
    #expect(stream.read(upTo: 64) == [1, 2])
    #expect(stream.read(upTo: 64) == [])
    for packet in [[], [3]] as [[UInt8]] {
      #expect(unsafe send(ends[1], packet, packet.count, CInt(MSG_NOSIGNAL)) == packet.count)
    }
    close(ends[1])
    #expect(stream.read(upTo: 64) == [3])
    #expect(stream.read(upTo: 64) == nil)
  }
}
