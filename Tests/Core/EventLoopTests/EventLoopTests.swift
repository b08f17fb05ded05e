import BleperaEventLoop
import BleperaLoop
import Glibc
import Testing

/// An actor on a loop, to see where and in which order its jobs run.
private actor Recorder {
  nonisolated let loop: EventLoop
  private(set) var entries: [String] = []
  private var waiter: (count: Int, continuation: CheckedContinuation<[String], Never>)?

  init(loop: EventLoop) { self.loop = loop }

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  func note(_ entry: String) {
    entries.append(entry)
    if let waiter, entries.count >= waiter.count {
      self.waiter = nil
      waiter.continuation.resume(returning: entries)
    }
  }

  func first(_ count: Int) async -> [String] {
    if entries.count >= count { return entries }
    return await withCheckedContinuation { waiter = (count, $0) }
  }

  /// Whether one of these cannot end or stop the process from here.
  func blocks(_ signals: [CInt]) -> Bool {
    var mask = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
    return signals.contains { unsafe sigismember(&mask, $0) == 1 }
  }

  func threadIsTheLoop() -> Bool { loop.isIsolatingCurrentContext() == true }
}

struct EventLoopTests {
  private let loop = EventLoop(name: "test")

  @Test func `the jobs of an actor run on the loop's thread`() async {
    #expect(loop.isIsolatingCurrentContext() == false)
    #expect(await Recorder(loop: loop).threadIsTheLoop())
    loop.stop()
  }

  @Test func `a callback may enter an actor of the loop synchronously`() async {
    let recorder = Recorder(loop: loop)
    let timer = loop.schedule(after: .zero) { recorder.assumeIsolated { $0.note("fired") } }
    #expect(await recorder.first(1) == ["fired"])
    timer.cancel()
    loop.stop()
  }

  @Test func `timers fire in the order of their deadlines and a cancelled one never does`() async {
    let recorder = Recorder(loop: loop)
    func timer(_ milliseconds: Int, _ name: String) -> EventSource {
      loop.schedule(after: .milliseconds(milliseconds)) { recorder.assumeIsolated { $0.note(name) } }
    }
    // Far apart, as this thread may be held up between two of them.
    let timers = [timer(1500, "late"), timer(700, "early"), timer(1100, "cancelled"), timer(-5, "past")]
    timers[2].cancel()
    #expect(await recorder.first(3) == ["past", "early", "late"])
    loop.stop()
    withExtendedLifetime(timers) {}
  }

  @Test func `a watched descriptor reports data and the other end's closing`() async {
    let recorder = Recorder(loop: loop)
    var ends: [CInt] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    let reader = ends[0]
    let source = loop.watch(descriptor: reader, for: .reading) { readiness in
      recorder.assumeIsolated { recorder in
        if readiness.contains(.reading) {
          var byte: UInt8 = 0
          guard unsafe read(reader, &byte, 1) == 1 else { return }
          recorder.note("byte \(byte)")
        } else if !readiness.isDisjoint(with: .hangUp), recorder.entries.last != "hang up" {
          recorder.note("hang up")
        }
      }
    }
    for byte: UInt8 in [7, 9] { _ = unsafe withUnsafeBytes(of: byte) { unsafe write(ends[1], $0.baseAddress, 1) } }
    #expect(await recorder.first(2) == ["byte 7", "byte 9"])
    close(ends[1])
    #expect(await recorder.first(3).last == "hang up")
    source.cancel()
    close(reader)
    loop.stop()
  }

  @Test func `a signal reaches the loop`() async {
    let recorder = Recorder(loop: loop)
    let source = loop.watch(signal: SIGUSR1) { recorder.assumeIsolated { $0.note("SIGUSR1") } }
    kill(getpid(), SIGUSR1)
    #expect(await recorder.first(1) == ["SIGUSR1"])
    source.cancel()
    loop.stop()
  }

  @Test func `ten thousand jobs from many tasks all run`() async {
    let recorder = Recorder(loop: loop)
    await withTaskGroup { group in
      for task in 0..<10 {
        group.addTask { for index in 0..<1000 { await recorder.note("\(task).\(index)") } }
      }
    }
    let entries = await recorder.entries
    #expect(entries.count == 10_000)
    #expect(entries.filter { $0.hasPrefix("3.") } == (0..<1000).map { "3.\($0)" })
    loop.stop()
  }

  @Test func `a loop may end while its sources do, and while it is given work`() async {
    await withTaskGroup { group in
      for _ in 0..<300 {
        group.addTask {
          var sources: [EventSource] = []
          do {
            let loop = EventLoop(name: "brief")
            sources = (1...20).map { loop.schedule(after: .seconds($0)) {} }
            _ = await Recorder(loop: loop).threadIsTheLoop()
            loop.stop()
          }
          #expect(sources.count == 20)
          sources = []
        }
      }
    }
  }

  @Test func `a stopped loop lets go of its thread and itself`() async throws {
    weak var weakLoop: EventLoop?
    do {
      let loop = EventLoop(name: "short")
      weakLoop = loop
      _ = await Recorder(loop: loop).threadIsTheLoop()
      loop.stop()
    }
    for _ in 0..<200 where weakLoop != nil {
      await Task.yield()
      usleep(1000)
    }
    #expect(weakLoop == nil)
  }

  @Test func `the thread blocks no signal, whoever has made the loop`() async {
    let loop = await Task.detached { EventLoop(name: "of the pool") }.value
    #expect(await Recorder(loop: loop).blocks([SIGTERM, SIGHUP, SIGTSTP, SIGQUIT]) == false)
    loop.stop()
  }
}
