package import BleperaEventLoop
import Glibc
import Synchronization

/// The service manager that runs this process and receives its states, as sd_notify(3) has them.
package struct ServiceManager: Hashable, Sendable {
  enum State: String, Sendable {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
    case watchdog = "WATCHDOG=1"
  }

  /// The path of a datagram socket, or `@` and an abstract name.
  let socket: String
  /// How often the service manager is sent that this process works, half of what it waits; nil where it does not wait.
  let watchdogInterval: Duration?

  /// Nil where no service manager wants the states.
  init?(process: pid_t = getpid(), environment: (String) -> String?) {
    guard let socket = environment("NOTIFY_SOCKET"), "/@".contains(socket.prefix(1)),
      (2...Self.longestSocket).contains(socket.utf8.count)
    else { return nil }
    self.socket = socket
    let isWatched = environment("WATCHDOG_PID").map { pid_t($0) == process } ?? true
    let limit = isWatched ? environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0 : 0
    watchdogInterval = limit > 1 ? .microseconds(limit / 2) : nil
  }

  /// That of this process.
  package static var own: ServiceManager? {
    ServiceManager { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
  }

  private static let longestSocket = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// - Returns: false where the service manager has too many messages to take one more.
  @discardableResult
  func send(_ state: State, over descriptor: CInt) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(socket.utf8)
    // An abstract name begins with a zero byte and has no other at its end.
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

/// Reports a session to the service manager: that it is ready, from then on that its loop runs, and that it ends.
package final class ServiceReport: Sendable {
  private let manager: ServiceManager
  private let loop: EventLoop
  /// Open from the beginning: the process may have none left later.
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
