import BleperaEventLoop
import BleperaLoop
import Glibc
import Synchronization
import Testing

/// An actor on a virtual loop that records its calls with their times.
private actor Diary {
  nonisolated let loop: VirtualLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  private var lines: [String] = []
  private var waiter: CheckedContinuation<Void, Never>?

  init(_ loop: VirtualLoop) { self.loop = loop }

  func note(_ text: String) {
    lines.append("\(loop.now / .milliseconds(1)) \(text)")
    waiter?.resume()
    waiter = nil
  }

  func next() async { await withCheckedContinuation { waiter = $0 } }

  /// To be asked for from the loop's owner.
  nonisolated var written: [String] { loop.perform { self.assumeIsolated { $0.lines } } }
}

@Suite("Virtual time passes where it is let pass, in the same order every time")
struct VirtualLoopTests {
  private let loop = VirtualLoop(beginning: .seconds(1000))

  @Test("Timers run by their time, then by their order, each followed by the jobs that it made")
  func order() {
    let diary = Diary(loop)
    let timers = [(20, "c"), (10, "a"), (10, "b"), (-5, "past")].map { milliseconds, name in
      loop.schedule(after: .milliseconds(milliseconds)) {
        diary.assumeIsolated { $0.note(name) }
        Task(executorPreference: diary.loop) { await diary.note("after \(name)") }
      }
    }
    #expect(diary.written == [])
    loop.run(until: .milliseconds(10))
    #expect(diary.written == ["0.0 past", "0.0 after past", "10.0 a", "10.0 after a", "10.0 b", "10.0 after b"])
    #expect(loop.now == .milliseconds(10))
    loop.advance(by: .seconds(1))
    #expect(diary.written.last == "20.0 after c")
    #expect(loop.now == .milliseconds(1010))
    #expect(loop.timeOfDay == .milliseconds(1_001_010))
    withExtendedLifetime(timers) {}
  }

  @Test("A timer that is cancelled or let go of never runs, even by one that is due at the same moment")
  func cancelling() {
    let diary = Diary(loop)
    let later = Mutex<VirtualTimer?>(nil)
    let first = loop.schedule(after: .milliseconds(1)) {
      diary.assumeIsolated { $0.note("first") }
      later.withLock { $0 }?.cancel()
    }
    later.withLock {
      $0 = loop.schedule(after: .milliseconds(1)) { diary.assumeIsolated { $0.note("cancelled") } }
    }
    _ = loop.schedule(after: .milliseconds(1)) { diary.assumeIsolated { $0.note("let go of") } }
    loop.advance(by: .milliseconds(5))
    #expect(diary.written == ["1.0 first"])
    first.cancel()
  }

  @Test("What is scheduled while time passes is due in the same run")
  func chain() {
    let diary = Diary(loop)
    let kept = Mutex<[VirtualTimer]>([])
    @Sendable func tick(_ count: Int) {
      diary.assumeIsolated { $0.note("\(count)") }
      guard count < 3 else { return }
      let timer = diary.loop.schedule(after: .milliseconds(10)) { tick(count + 1) }
      kept.withLock { $0.append(timer) }
    }
    loop.perform { tick(1) }
    loop.advance(by: .milliseconds(25))
    #expect(diary.written == ["0.0 1", "10.0 2", "20.0 3"])
  }

  @Test("A task is run until it has finished, and no longer")
  func task() throws {
    let diary = Diary(loop)
    let timers = (1...3).map { number in
      loop.schedule(after: .seconds(number)) { diary.assumeIsolated { $0.note("\(number)") } }
    }
    let result = loop.run(until: .seconds(10)) { [loop] in
      await diary.next()
      await diary.next()
      return loop.now
    }
    #expect(try result?.get() == .seconds(2))
    #expect(loop.now == .seconds(2))
    withExtendedLifetime(timers) {}
  }

  @Test("A task that waits for what never comes is given up at the end of its time, whether anything is due or not")
  func givenUp() {
    let diaries = [Diary(loop), Diary(loop)]
    #expect(loop.run(until: .seconds(10)) { await diaries[0].next() } == nil)
    #expect(loop.now == .seconds(10))
    let timers = (1...20).map { number in loop.schedule(after: .seconds(number)) {} }
    #expect(loop.run(until: .seconds(15)) { await diaries[1].next() } == nil)
    #expect(loop.now == .seconds(15))
    // Both go on after all, so that none is leaked.
    loop.perform { for diary in diaries { diary.assumeIsolated { $0.note("the end") } } }
    withExtendedLifetime(timers) {}
  }

  @Test("A paced loop runs timers in their order, and what a descriptor brings between them")
  func paced() throws {
    let loop = VirtualLoop(isPaced: true)
    let diary = Diary(loop)
    var ends: [CInt] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    let watch = loop.watch(descriptor: reading, for: .reading) { _ in
      var byte: UInt8 = 0
      _ = unsafe read(reading, &byte, 1)
      diary.assumeIsolated { $0.note("byte \(byte)") }
    }
    let timers = [(1, 7 as UInt8), (60, 9)].map { milliseconds, byte in
      loop.schedule(after: .milliseconds(milliseconds)) {
        var byte = byte
        _ = unsafe write(writing, &byte, 1)
        diary.assumeIsolated { $0.note("timer") }
      }
    }
    let start = ContinuousClock.now
    loop.advance(by: .milliseconds(80))
    // Never before real time.
    #expect(start.duration(to: .now) >= .milliseconds(80) && loop.now == .milliseconds(80))
    #expect(
      diary.written.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        == ["timer", "byte 7", "timer", "byte 9"])
    watch.cancel()
    close(reading)
    close(writing)
    withExtendedLifetime(timers) {}
  }

  @Test("Tasks, their children and streams stay on the loop, in one order")
  func tasks() {
    func story() -> [String] {
      let loop = VirtualLoop()
      let diary = Diary(loop)
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let ticks = (1...100).map { number in
        loop.schedule(after: .milliseconds(number % 7)) { continuation.yield(number) }
      }
      _ = loop.run(until: .seconds(1)) {
        async let left: Void = diary.note("left")
        async let right: Void = diary.note("right")
        _ = await (left, right)
        var count = 0
        for await number in stream {
          await diary.note("\(number) \(loop.isCurrent)")
          count += 1
          if count == 100 { break }
        }
      }
      withExtendedLifetime(ticks) {}
      return diary.written
    }
    let first = story()
    #expect(first.count == 102)
    #expect(first.allSatisfy { !$0.hasSuffix("false") })
    for _ in 1...20 { #expect(story() == first) }
  }

  @Test("Within an asynchronous test the loop runs on the test's thread, and its task continues")
  func nested() async {
    let diary = Diary(loop)
    for round in 1...3 {
      let result = loop.run(until: .seconds(100)) { [loop] in
        await diary.note("\(round)")
        return loop.isCurrent
      }
      #expect((try? result?.get()) == true)
      await Task.yield()
      #expect(!loop.isCurrent)
    }
    #expect(diary.written == ["0.0 1", "0.0 2", "0.0 3"])
  }

  @Test("Many threads take turns")
  func turns() async {
    let diary = Diary(loop)
    await withTaskGroup { group in
      for number in 1...50 {
        group.addTask { [loop] in loop.perform { diary.assumeIsolated { $0.note("\(number)") } } }
      }
    }
    #expect(diary.written.count == 50)
  }
}
