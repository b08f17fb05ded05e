import BleperaAppLink
import BleperaBluetooth
import BleperaEventLoop
import BleperaLoop
import BleperaPreservation
import BusTesting
import Glibc
import Synchronization
import Testing

@testable import BleperaCLI
@testable import BleperaSessions

/// A phone's socket, by a few lines: each request gets the reply that it was done, or none.
private final class PlainPhone: Sendable {
  let requests = Mailbox<String>()
  private let listener: CInt
  private let sockets = Mutex<[LineSocket]>([])
  private let source = Mutex<EventSource?>(nil)

  init(_ address: ControlAddress, responds: Bool) throws {
    try address.prepareFolder()
    listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: Array(address.socket.utf8) + [0]) }
    let bound = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { [listener] in
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listener, 8) == 0 else { throw TemporaryFolder.Failure(code: errno) }
    let watch = TestLoops.first.watch(descriptor: listener, for: .reading) { [weak self] _ in
      self?.accept(responds: responds)
    }
    source.withLock { $0 = watch }
  }

  deinit { close(listener) }

  private func accept(responds: Bool) {
    let socket = LineSocket(
      loop: TestLoops.first, descriptor: Glibc.accept(listener, nil, nil), maximumLine: 1 << 16)
    sockets.withLock { $0.append(socket) }
    socket.handle { [weak socket, requests] event in
      guard case .line(let line) = event else { return }
      requests.put(String(decoding: line, as: UTF8.self))
      if responds { socket?.send(Array("{}\n".utf8)) }
    }
  }

  /// Ends the connections, and accepts others.
  func drop() {
    let dropped = sockets.withLock { sockets in
      defer { sockets = [] }
      return sockets
    }
    for socket in dropped { socket.close() }
  }
}

@Suite("Serving on a phone", .timeLimit(.minutes(5)))
struct ServeSessionTests {
  private static func run(
    responds: Bool, _ body: (PlainPhone, ServeSession, Task<String?, Never>, Mailbox<String>) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let address = try ControlAddress(name: "plain", folder: "\(folder.path)/phones")
    let phone = try PlainPhone(address, responds: responds)
    let state = try StateFolder(name: "plain") { $0 == StateFolder.homeVariable ? folder.path : nil }
    let reports = Mailbox<String>()
    let session = ServeSession(
      starter: PhoneStarter(address: address, folder: state, arguments: []), radio: RadioSettings(), profiles: [],
      launch: .foreground, isJSON: false, endProcess: ProcessEnd.perform
    ) { event in
      switch event {
      case .failed(let reason), .hint(let reason): reports.put(reason)
      case .serving: reports.put("serving")
      default: break
      }
    }
    try await body(phone, session, Task { await session.run() }, reports)
    withExtendedLifetime(folder) {}
  }

  @Test("Ctrl-C ends a session at once that waits for a phone")
  func interrupting() async throws {
    try await Self.run(responds: false) { phone, session, run, _ in
      try await phone.requests.wait { $0.contains("status") ? true : nil }
      await session.interrupt()
      #expect(await run.value == nil)
    }
  }

  @Test("A connection that the phone drops is reported and made again, and keys are not lost silently meanwhile")
  func dropped() async throws {
    try await Self.run(responds: true) { phone, session, run, reports in
      try await phone.requests.wait { $0.contains("status") ? true : nil }
      try await phone.requests.wait { $0.contains("events") ? true : nil }
      // Once the session has the reply, and so its apps: it has none.
      #expect(try await reports.next() == "serving")
      phone.drop()
      await session.toggleScreen()
      #expect(try await reports.next() == "the phone named 'plain' does not respond.")
      #expect(
        try await reports.next()
          == "the phone 'plain' has ended the connection for events; some may be missing.")
      try await phone.requests.wait { $0.contains("events") ? true : nil }
      await session.interrupt()
      #expect(await run.value == nil)
    }
  }
}
