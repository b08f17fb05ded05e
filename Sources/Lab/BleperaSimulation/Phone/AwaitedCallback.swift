import Dispatch
import Glibc
import Synchronization

/// The callback for which an air's loop waits, and the requests of apps, which the loop performs while it waits.
final class AwaitedCallback: Sendable {
  private struct State {
    var isRunning = false
    var requests: [@Sendable () -> Void] = []
    var isDone = false
  }

  /// How often what a callback has dispatched, and what that has dispatched, is waited for.
  private static let rounds = 2

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  /// Runs the body on the queue, and returns when the queue has also done what the body has dispatched. On the loop.
  func run(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
    let isAsked = state.withLock { state in
      state.isRunning = true
      return !state.requests.isEmpty
    }
    if isAsked { wake.signal() }
    wait(for: body, on: queue)
    for _ in 0..<Self.rounds {
      wait(for: {}, on: queue)
      if queue !== DispatchQueue.main, !MainThread.isCurrent { wait(for: {}, on: .main) }
    }
    let rest = state.withLock { state in
      defer { state = State() }
      return state.requests
    }
    for request in rest { request() }
  }

  private func wait(for body: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
    state.withLock { $0.isDone = false }
    queue.async { [self] in
      body()
      state.withLock { $0.isDone = true }
      wake.signal()
    }
    while true {
      wake.wait()
      let isDone = state.withLock { $0.isDone }
      serve()
      if isDone { return }
    }
  }

  /// Runs the body on the loop, and returns when it has run. The next callback may be for the caller's own queue, so
  /// the loop does what is asked for before and during each callback.
  ///
  /// - Parameter wakeLoop: has the loop call `serve` where it waits for no callback.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value, _ wakeLoop: () -> Void) -> Value? {
    let result = Mutex<Value?>(nil)
    let done = DispatchSemaphore(value: 0)
    let isRunning = state.withLock { state in
      state.requests.append {
        let value = body()
        result.withLock { $0 = value }
        done.signal()
      }
      return state.isRunning
    }
    if isRunning { wake.signal() } else { wakeLoop() }
    done.wait()
    return result.withLock { $0 }
  }

  /// Does what apps ask for outside callbacks; on the loop.
  func serve() {
    let requests = state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
    for request in requests { request() }
  }
}

enum MainThread {
  /// Whether the caller runs on the process's first thread, whose number is that of the process.
  static var isCurrent: Bool {
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe readlink("/proc/thread-self", bytes.baseAddress!.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return count > 0 && String(decoding: buffer[..<count], as: UTF8.self) == "\(getpid())/task/\(getpid())"
  }
}
