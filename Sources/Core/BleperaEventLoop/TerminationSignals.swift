import CBleperaGLib
import Glibc
import Synchronization

/// The signals by which a user or the system ends a session: SIGINT, SIGTERM and SIGHUP.
package enum TerminationSignals {
  private static let last = Mutex<CInt?>(nil)

  /// The exit status of a command: 128 plus the number of the signal that ended it; 0 after Ctrl-C or without a signal.
  package static var exitStatus: CInt { last.withLock { $0.flatMap { $0 == SIGINT ? nil : 128 + $0 } ?? 0 } }

  fileprivate static func receive(_ signal: CInt) { last.withLock { $0 = signal } }

  /// The signals to watch: SIGHUP stays ignored where the process was started with that, as by `nohup`.
  fileprivate static var watched: [CInt] {
    action(of: SIGHUP) == .ignored ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
  }

  package enum Action {
    case standard, ignored, handled
  }

  /// The disposition of a signal in this process.
  package static func action(of signal: CInt) -> Action {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return .standard }
    // SIG_DFL is 0, SIG_IGN is 1.
    switch unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self) {
    case 0: return .standard
    case 1: return .ignored
    default: return .handled
    }
  }
}

extension EventLoop {
  /// Runs `body` on the loop's thread each time a termination signal arrives.
  package func watchTermination(_ body: @escaping @Sendable (CInt) -> Void) -> [EventSource] {
    TerminationSignals.watched.map { signal in
      watch(signal: signal) {
        TerminationSignals.receive(signal)
        body(signal)
      }
    }
  }
}
