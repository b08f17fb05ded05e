import BleperaAppLink
import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Testing

@testable import BleperaSessions

@Suite("A phone that does not respond", .timeLimit(.minutes(5)))
struct SilentPhoneTests {
  /// A socket with the phone's address on which nobody accepts connections.
  private static func withListener(
    waiting: CInt, _ body: (ControlAddress) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let address = try ControlAddress(name: "silent", folder: "\(folder.path)/phones")
    try address.prepareFolder()
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: Array(address.socket.utf8) + [0]) }
    let bound = unsafe withUnsafePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    try #require(listen(listener, waiting) == 0)
    try await body(address)
    withExtendedLifetime(folder) {}
  }

  @Test("A request has a time limit, after which the connection has ended")
  func request() async throws {
    try await Self.withListener(waiting: 8) { address in
      let (ends, end) = AsyncStream.makeStream(of: Void.self)
      let connection = try ControlConnection(loop: TestLoops.second, address: address, ended: { end.finish() })
      await #expect(throws: ControlFailure.noResponse(name: "silent")) {
        try await connection.ask(ControlRequest(.status), within: .milliseconds(20))
      }
      for await _ in ends {}
      await #expect(throws: ControlFailure.noResponse(name: "silent")) {
        try await connection.ask(ControlRequest(.status))
      }
    }
  }

  @Test("Connecting has a time limit where no more connections are accepted")
  func connecting() async throws {
    try await Self.withListener(waiting: 0) { address in
      let first = try address.connect()
      defer { close(first) }
      #expect(throws: ControlFailure.noResponse(name: "silent")) { _ = try address.connect() }
    }
  }

  @Test("A hosted phone ends with its last reference")
  func hostedPhone() async {
    weak var weakPhone: ServedPhone?
    do {
      let phone = ServedPhone(loop: TestLoops.second, settings: .init(), startRadio: { _ in }, observe: { _, _ in })
      weakPhone = phone
      // Makes the phone's host.
      await phone.stopReporting()
    }
    for _ in 0..<1000 where weakPhone != nil { await Task.yield() }
    #expect(weakPhone == nil)
  }
}
