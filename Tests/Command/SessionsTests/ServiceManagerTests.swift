import BleperaAppLink
import BleperaEventLoop
import BleperaLoop
import BleperaPreservation
import BusTesting
import FoundationEssentials
import Glibc
import Synchronization
import Testing

@testable import BleperaSessions

@Suite("The service manager", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
  @Test(
    "Where it wants the states, and how often",
    arguments: [
      ([:], nil, nil),
      (["NOTIFY_SOCKET": "/run/systemd/notify"], "/run/systemd/notify", nil),
      (["NOTIFY_SOCKET": "@notify", "WATCHDOG_USEC": "30000000"], "@notify", .seconds(15)),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "7"], "/n", .milliseconds(1500)),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "8"], "/n", nil),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "0"], "/n", nil),
      (["NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "soon"], "/n", nil),
      (["NOTIFY_SOCKET": "vsock:2:1234"], nil, nil),
      (["NOTIFY_SOCKET": "/"], nil, nil),
      (["NOTIFY_SOCKET": "/" + String(repeating: "n", count: 107)], nil, nil),
      (["NOTIFY_SOCKET": "/" + String(repeating: "n", count: 106)], "/" + String(repeating: "n", count: 106), nil),
    ] as [([String: String], String?, Duration?)])
  func environment(_ variables: [String: String], socket: String?, interval: Duration?) {
    let manager = ServiceManager(process: 7) { variables[$0] }
    #expect(manager?.socket == socket)
    #expect(manager?.watchdogInterval == interval)
  }

  /// The datagrams that arrive at a socket with this name.
  private static func withSocket(
    _ name: String, _ body: (Mailbox<String>) async throws -> Void
  ) async throws {
    let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = name.hasPrefix("@")
    let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let length = MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, socklen_t(length))
      }
    }
    try #require(bound == 0)
    let received = Mailbox<String>()
    let source = TestLoops.first.watch(descriptor: descriptor, for: .reading) { _ in
      var buffer = [UInt8](repeating: 0, count: 64)
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      received.put(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
    }
    try await body(received)
    source.cancel()
  }

  @Test("A session reports that it is ready, that its loop runs, and its end", arguments: [true, false])
  func reporting(isAbstract: Bool) async throws {
    let folder = try TemporaryFolder()
    let name = isAbstract ? "@blepera-test-\(getpid())" : "\(folder.path)/notify"
    try await Self.withSocket(name) { received in
      let variables = ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "20000"]
      let report = ServiceReport(ServiceManager { variables[$0] }, on: TestLoops.second)
      report?.ready()
      #expect(try await received.next(3) == ["READY=1", "WATCHDOG=1", "WATCHDOG=1"])
      report?.stopping()
      try await received.wait { $0 == "STOPPING=1" ? true : nil }
    }
    withExtendedLifetime(folder) {}
  }

  @Test("A phone that was a service and was killed is waited for; one that has ended is not")
  func waiting() async throws {
    let folder = try TemporaryFolder()
    let address = try ControlAddress(name: "unit", folder: "\(folder.path)/phones")
    let state = try StateFolder(name: "unit") { $0 == StateFolder.homeVariable ? folder.path : nil }
    let starter = PhoneStarter(address: address, folder: state, arguments: [])
    func service() throws -> ControlServer {
      try ControlServer(loop: TestLoops.second, address: address, isService: true) { _ in .done }
    }
    let first = try service()
    await first.start()
    #expect(address.isService)
    #expect(try await starter.start(on: TestLoops.first) { Issue.record("waits for a phone that runs") } == nil)
    await first.close()
    #expect(!address.isService)

    // The process seems to have been killed: the socket has ended, the lock stays.
    try "service\n".write(toFile: address.lock, atomically: false, encoding: .utf8)
    let waits = Mutex(0)
    let (begins, beginning) = AsyncStream<Void>.makeStream()
    let start = Task {
      try await starter.start(on: TestLoops.first) {
        waits.withLock { $0 += 1 }
        beginning.yield()
      }
    }
    for await _ in begins { break }
    let second = try service()
    await second.start()
    #expect(try await start.value == nil)
    #expect(waits.withLock { $0 } == 1)
    await second.close()
    let plain = try ControlServer(loop: TestLoops.second, address: address) { _ in .done }
    #expect(!address.isService)
    await plain.close()
    withExtendedLifetime(folder) {}
  }
}
