package import BleperaEventLoop
import Glibc
import Synchronization

/// The service manager that runs this process and receives its states, in the protocol of sd_notify(3).
package struct ServiceManager: Hashable, Sendable {
  enum State: String, Sendable {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
    case watchdog = "WATCHDOG=1"
  }

  /// The path of a datagram socket, or `@` and an abstract name.
  let socket: String
  /// The interval of the messages that this process works, half of the watchdog's timeout; nil without a watchdog.
  let watchdogInterval: Duration?

  /// Returns nil if no service manager expects the states.
  init?(process: pid_t = getpid(), environment: (String) -> String?) {
    guard let socket = environment("NOTIFY_SOCKET"), "/@".contains(socket.prefix(1)),
      (2...Self.longestSocket).contains(socket.utf8.count)
    else { return nil }
    self.socket = socket
    let isWatched = environment("WATCHDOG_PID").map { pid_t($0) == process } ?? true
    let limit = isWatched ? environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0 : 0
    watchdogInterval = limit > 1 ? .microseconds(limit / 2) : nil
  }

  /// The service manager of this process.
  package static var own: ServiceManager? {
    ServiceManager { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  }

  private static let longestSocket = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// - Returns: false if the service manager's queue of messages is full.
  @discardableResult
  func send(_ state: State, over descriptor: CInt) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(socket.utf8)
    // An abstract name begins with a zero byte and does not end with one.
    if socket.hasPrefix("@") { name[0] = 0 }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let length = MemoryLayout<sa_family_t>.size + name.count + (socket.hasPrefix("@") ? 0 : 1)
    let text = Array(state.rawValue.utf8)
    let sent = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, text, text.count, CInt(MSG_DONTWAIT), $0, socklen_t(length))
      }
    }
    return sent >= 0 || errno != EAGAIN
  }
}

/// Reports a session to the service manager: that it is ready, then repeatedly that its loop runs, and that it ends.
package final class ServiceReport: Sendable {
  private let manager: ServiceManager
  private let loop: EventLoop
  /// The socket, which is open from the beginning, since the process may have no descriptor left later.
  private let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  private let timer = Mutex<EventSource?>(nil)

  package init?(_ manager: ServiceManager? = .own, on loop: EventLoop) {
    guard let manager else { return nil }
    self.manager = manager
    self.loop = loop
  }

  deinit { close(descriptor) }

  private static let retryDelay = Duration.milliseconds(100)

  package func ready() {
    guard !manager.send(.ready, over: descriptor) else { return watch() }
    schedule(after: Self.retryDelay) { $0.ready() }
  }

  private func watch() {
    guard let interval = manager.watchdogInterval else { return }
    schedule(after: interval) { this in
      this.manager.send(.watchdog, over: this.descriptor)
      this.watch()
    }
  }

  private func schedule(after delay: Duration, _ body: @escaping @Sendable (ServiceReport) -> Void) {
    let next = loop.schedule(after: delay) { [weak self] in
      if let self { body(self) }
    }
    timer.withLock { $0 = next }
  }

  package func stopping() {
    timer.withLock { $0 = nil }
    manager.send(.stopping, over: descriptor)
  }
}
