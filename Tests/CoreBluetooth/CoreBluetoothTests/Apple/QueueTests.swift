import BleperaTesting
import CoreBluetooth
import Synchronization
import Testing

/// A central as apps write one since iOS 17: an actor on the queue of its manager's callbacks.
private actor Central {
  nonisolated let queue: DispatchSerialQueue
  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.asUnownedSerialExecutor() }
  private(set) var states: [CBManagerState] = []

  init(queue: DispatchSerialQueue) { self.queue = queue }

  nonisolated func didUpdate(_ state: CBManagerState) { assumeIsolated { $0.states.append(state) } }

  func add(_ state: CBManagerState) {
    dispatchPrecondition(condition: .onQueue(queue))
    let former = states
    Thread.sleep(forTimeInterval: 0.001)
    states = former + [state]
  }
}

private final class Delegate: NSObject, CBCentralManagerDelegate, @unchecked Sendable {  // never changes after `init`
  private let central: Central
  private var manager: CBCentralManager?

  init(_ central: Central) {
    self.central = central
    super.init()
    manager = CBCentralManager(delegate: self, queue: central.queue)
  }

  func centralManagerDidUpdateState(_ manager: CBCentralManager) { central.didUpdate(manager.state) }
}

extension StoryTests {
  @Test("has an actor on a serial queue, which is isolated in a manager's callbacks")
  func serialQueue() async {
    let air = Air()
    let central = Central(queue: DispatchSerialQueue(label: "central"))
    let launches = Launches<Delegate>()
    let app = Phone(on: air).launch("org.example.app") { launches.keep(Delegate(central)) }
    await air.advance(by: .seconds(1))
    #expect(await central.states == [.poweredOn])
    #expect(app.launches == 1)
  }
}

@Suite("An actor's serial queue")
struct SerialQueueTests {
  @Test("runs one job at a time, also where the queue is concurrent", arguments: [false, true])
  func jobs(isConcurrent: Bool) async {
    let central = Central(queue: DispatchQueue(label: "jobs", attributes: isConcurrent ? .concurrent : []))
    await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await central.add(.poweredOn) } }
    }
    #expect(await central.states.count == 20)
  }

  @Test("isolates code on the queue and on queues that target the queue, and ends the process elsewhere")
  func isolation() async {
    let central = Central(queue: DispatchSerialQueue(label: "central"))
    central.queue.sync { central.didUpdate(.poweredOn) }
    DispatchQueue(label: "other", target: central.queue).sync { central.didUpdate(.poweredOff) }
    #expect(await central.states == [.poweredOn, .poweredOff])
    await #expect(processExitsWith: .failure) {
      Central(queue: DispatchSerialQueue(label: "central")).didUpdate(.poweredOn)
    }
    await #expect(processExitsWith: .failure) { await Central(queue: .global()).add(.poweredOn) }
  }
}

@Suite("An app's run loop")
struct RunLoopTests {
  @Test("is the main thread's for Core Foundation, too")
  func main() {
    #expect(RunLoop.main.getCFRunLoop() === CFRunLoopGetMain())
    #expect(RunLoop.current.getCFRunLoop() === CFRunLoopGetCurrent())
  }

  /// Apps do this for the streams of a channel: a source keeps a thread's loop running until another thread stops it.
  @Test("runs on a thread with a source, and is stopped by another thread", .timeLimit(.minutes(5)))
  func thread() {
    let current = Mutex<RunLoop?>(nil)
    let (started, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      var context = unsafe CFRunLoopSourceContext()
      let source = unsafe CFRunLoopSourceCreate(nil, 0, &context)!
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .defaultMode)
      current.withLock { $0 = RunLoop.current }
      started.signal()
      CFRunLoopRun()
      ended.signal()
    }
    started.wait()
    let loop = current.withLock { $0 }!.getCFRunLoop()
    #expect(loop !== CFRunLoopGetCurrent())
    let performed = DispatchSemaphore(value: 0)
    CFRunLoopPerformBlock(loop, CFRunLoopMode.commonModes.rawValue) { performed.signal() }
    CFRunLoopWakeUp(loop)
    performed.wait()
    CFRunLoopStop(loop)
    ended.wait()
  }

  @Test("runs in a mode for a time")
  func mode() {
    var context = unsafe CFRunLoopSourceContext()
    let source = unsafe CFRunLoopSourceCreate(nil, 0, &context)!
    CFRunLoopAddSource(CFRunLoopGetCurrent(), source, .commonModes)
    #expect(CFRunLoopRunInMode(.defaultMode, 0.01, false) == .timedOut)
    CFRunLoopRemoveSource(CFRunLoopGetCurrent(), source, .commonModes)
  }
}
