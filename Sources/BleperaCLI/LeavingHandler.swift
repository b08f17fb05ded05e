import EventLoop
import Glibc
import Story

/// At Ctrl-C, SIGTERM or SIGHUP takes a story off real adapters before the process ends: bluetoothd would keep its
/// connections. A virtual one ends as it is.
final class LeavingHandler: Sendable {
  private let loop: EventLoop?
  private let signals: [EventSource]

  init(_ air: Air) {
    guard air.radio != .virtual else {
      (loop, signals) = (nil, [])
      return
    }
    let loop = EventLoop(name: "signals")
    self.loop = loop
    signals = [SIGINT, SIGTERM, SIGHUP].map { signal in
      loop.watch(signal: signal) {
        Task {
          await air.close()
          exit(128 + signal)
        }
      }
    }
  }

  func cancel() {
    for signal in signals { signal.cancel() }
    loop?.stop()
  }
}
