import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Testing

@testable import BleperaAir
@testable import BleperaHCI

@Suite("The door of a host", .timeLimit(.minutes(5)))
struct HCIDoorTests {
  /// Doors at one air, and what they report.
  private final class Stage: Sendable {
    let loop = EventLoop(name: "doors")
    let air: SharedAir
    let notices = Mailbox<HCIDoor.Notice>()

    init() { air = SharedAir(loop: loop) }

    func open(_ text: String, number: Int = 1) async throws -> HCIDoor {
      let endpoint = try #require(HCIEndpoint(text))
      let (air, loop, notices) = (air, loop, notices)
      return try await Task(executorPreference: loop.tasks) {
        let door = try HCIDoor(loop: loop, air: air, endpoint: endpoint, number: number, seed: UInt64(number)) {
          notices.put($0)
        }
        await door.start()
        return door
      }.value
    }

    deinit { loop.stop() }
  }

  private static let reset: [UInt8] = [1, 0x03, 0x0C, 0]
  private static let wasReset: [UInt8] = [4, 0x0E, 4, 1, 0x03, 0x0C, 0]
  private static let unmask: [[UInt8]] = [
    [1, 0x01, 0x0C, 8] + [UInt8](repeating: 0xFF, count: 8), [1, 0x01, 0x20, 8] + [UInt8](repeating: 0xFF, count: 8),
  ]
  private static let advertise: [UInt8] = [1, 0x0A, 0x20, 1, 1]

  /// A host's descriptor.
  private struct RawHost {
    let descriptor: CInt

    /// Attaches at a terminal or at a socket of the file system.
    init(at name: String) throws {
      let path = String(name.drop { $0 != ":" }.dropFirst())
      if name.hasPrefix("serial:") {
        descriptor = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      } else {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let isConnected = unsafe withUnsafeBytes(of: &address) { bytes in
          unsafe connect(
            descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
            socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
        try #require(isConnected)
      }
      try #require(descriptor >= 0)
    }

    func send(_ bytes: [UInt8]) { #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count) }

    /// Receives until that many bytes have arrived.
    func receive(_ count: Int) async throws -> [UInt8] {
      var bytes: [UInt8] = []
      while bytes.count < count {
        var buffer = [UInt8](repeating: 0, count: count - bytes.count)
        let read = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        if read > 0 { bytes += buffer[..<read] } else { try await Task.sleep(for: .milliseconds(1)) }
      }
      return bytes
    }

    func leave() { Glibc.close(descriptor) }
  }

  @Test("A terminal survives what is no packet: the next one, at the same path, is answered")
  func banner() async throws {
    let stage = Stage()
    let door = try await stage.open("pty")
    let host = try RawHost(at: door.name)
    host.send(Array("*** Booting Zephyr OS build v4.2.0 ***\r\n".utf8))
    #expect(try await stage.notices.next() == .attached(door.name, capture: nil))
    guard case .left(door.name, _?) = try await stage.notices.next() else { return #expect(Bool(false), "it leaves") }
    // Hardware Error
    #expect(try await host.receive(4) == [4, 0x10, 1, 1])
    host.send(Self.reset)
    #expect(try await host.receive(7) == Self.wasReset)
    host.leave()
    await door.close()
  }

  @Test("The next host at a terminal gets nothing of the one before, whose advertisement has ended")
  func nextAtTerminal() async throws {
    let stage = Stage()
    let door = try await stage.open("pty")
    for _ in 0..<3 {
      let host = try RawHost(at: door.name)
      host.send(Self.reset)
      #expect(try await host.receive(7) == Self.wasReset)
      #expect(try await stage.notices.next() == .attached(door.name, capture: nil))
      // These answers are never read.
      for _ in 0..<20 { host.send(Self.advertise) }
      while await stage.air.air.advertisements.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
      host.leave()
      #expect(try await stage.notices.next() == .left(door.name, reason: nil))
      #expect(await stage.air.air.advertisements.isEmpty)
    }
    await door.close()
  }

  @Test("A host that attaches at once after another's end is accepted, however much of the other is unread")
  func atOnce() async throws {
    let (stage, folder) = (Stage(), try TemporaryFolder())
    let door = try await stage.open("unix:\(folder.path)/hci")
    for _ in 0..<5 {
      let host = try RawHost(at: door.name)
      #expect(try await stage.notices.next() == .attached(door.name, capture: nil))
      host.send([UInt8](repeatElement(Self.reset, count: 6_000).joined()))
      host.leave()
      let next = try RawHost(at: door.name)
      #expect(try await stage.notices.next() == .left(door.name, reason: nil))
      #expect(try await stage.notices.next() == .attached(door.name, capture: nil))
      next.leave()
      #expect(try await stage.notices.next() == .left(door.name, reason: nil))
    }
    await door.close()
  }

  @Test("Of a host that reads nothing, the next one receives nothing")
  func noReader() async throws {
    let (stage, folder) = (Stage(), try TemporaryFolder())
    let door = try await stage.open("unix:\(folder.path)/hci")
    let host = try RawHost(at: door.name)
    #expect(try await stage.notices.next() == .attached(door.name, capture: nil))
    // Each Read Local Supported Commands is answered by 71 bytes.
    let commands = [UInt8](repeatElement([1, 0x02, 0x10, 0], count: 1_000).joined())
    for _ in 0..<100 {
      _ = unsafe Glibc.send(host.descriptor, commands, commands.count, CInt(MSG_NOSIGNAL))
      try await Task.sleep(for: .milliseconds(1))
    }
    guard case .left(door.name, _?) = try await stage.notices.next() else { return #expect(Bool(false), "it leaves") }
    host.leave()
    let next = try RawHost(at: door.name)
    next.send(Self.reset)
    #expect(try await next.receive(7) == Self.wasReset)
    next.leave()
    await door.close()
  }

  @Test("The answer to an enabled advertisement comes before the connection that it makes; nothing is left of it")
  func answerFirst() async throws {
    let (stage, folder) = (Stage(), try TemporaryFolder())
    let first = try await stage.open("unix:\(folder.path)/1", number: 1)
    let second = try await stage.open("unix:\(folder.path)/2", number: 2)
    let (central, peripheral) = (try RawHost(at: first.name), try RawHost(at: second.name))
    for command in Self.unmask {
      central.send(command)
      peripheral.send(command)
      _ = try await (central.receive(7), peripheral.receive(7))
    }
    // LE Create Connection to the second adapter's address.
    central.send(
      [1, 0x0D, 0x20, 25, 0x10, 0, 0x10, 0, 0, 0] + [0x01, 0, 0, 0x01, 0xAA, 0] + [
        0, 6, 0, 6, 0, 0, 0, 100, 0, 0, 0, 0, 0,
      ]
    )
    #expect(try await central.receive(7) == [4, 0x0F, 4, 0, 1, 0x0D, 0x20])
    peripheral.send(Self.advertise)
    #expect(try await peripheral.receive(7) == [4, 0x0E, 4, 1, 0x0A, 0x20, 0])
    #expect(try await peripheral.receive(4)[..<2] == [4, 0x3E])
    #expect(await stage.air.air.advertisements.isEmpty)
    central.leave()
    peripheral.leave()
    await first.close()
    await second.close()
  }

  @Test("A socket that an ended process has left is replaced; one that is in use, and any other file, is not")
  func leftSocket() async throws {
    let (stage, folder) = (Stage(), try TemporaryFolder())
    let path = "\(folder.path)/hci"
    let left = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let isBound = unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe bind(
        left, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(MemoryLayout<sockaddr_un>.size))
        == 0
    }
    try #require(isBound)
    Glibc.close(left)
    let door = try await stage.open("unix:\(path)")
    let host = try RawHost(at: door.name)
    host.send(Self.reset)
    #expect(try await host.receive(7) == Self.wasReset)
    host.leave()
    await #expect(throws: HCIDoorFailure(reason: "unix:\(path): Address already in use")) {
      _ = try await stage.open("unix:\(path)", number: 2)
    }
    await door.close()
    let file = try folder.write("text", to: "file")
    await #expect(throws: HCIDoorFailure(reason: "unix:\(file): Address already in use")) {
      _ = try await stage.open("unix:\(file)", number: 3)
    }
    #expect(unsafe access(file, F_OK) == 0)
  }
}
