import BleperaEventLoop
import BleperaLoop
import BusTesting
import Glibc
import Testing

@testable import BleperaController

@Suite("Opening a controller", .timeLimit(.minutes(1)))
struct ControllerOpeningTests {
  private let loop = TestLoops.first

  private func open(_ place: ControllerPlace, within limit: Duration = .seconds(5)) async -> Result<
    any ByteStream, ControllerFailure
  > {
    await withCheckedContinuation { continuation in
      place.open(on: loop, within: limit) { [loop] result in
        #expect(loop.isCurrent)
        continuation.resume(returning: result)
      }
    }
  }

  private func cause(_ place: ControllerPlace, within limit: Duration = .seconds(5)) async -> ControllerFailure.Cause? {
    guard case .failure(let failure) = await open(place, within: limit) else { return nil }
    #expect(failure.place == place)
    return failure.cause
  }

  @Test("Over TCP, by an address and by a name, both sides exchange bytes", arguments: ["127.0.0.1", "localhost"])
  func tcp(host: String) async throws {
    let listener = try Listener.tcp()
    let stream = try await open(.tcp(host: host, port: listener.port)).get()
    let peer = accept(listener.descriptor, nil, nil)
    defer { close(peer) }
    #expect(stream.write([1, 3, 12, 0]) == 4)
    #expect(read(peer, 4) == [1, 3, 12, 0])
    // In two parts, as RootCanal sends each packet.
    for part in [[4], [14, 4, 1, 3, 12, 0]] as [[UInt8]] { #expect(unsafe write(peer, part, part.count) == part.count) }
    #expect(try await next(7, of: stream) == [4, 14, 4, 1, 3, 12, 0])
    shutdown(peer, CInt(SHUT_RDWR))
    await ready(stream)
    #expect(stream.read(upTo: 64) == nil)
  }

  @Test("Over a Unix socket, both sides exchange bytes")
  func unix() async throws {
    let folder = try TemporaryFolder()
    let listener = try Listener.unix("\(folder.path)/hci")
    let stream = try await open(.unix(path: "\(folder.path)/hci")).get()
    let peer = accept(listener.descriptor, nil, nil)
    defer { close(peer) }
    #expect(stream.write([1, 3, 12, 0]) == 4)
    #expect(read(peer, 4) == [1, 3, 12, 0])
  }

  @Test("Where nobody listens, the failure has the system's error")
  func refused() async throws {
    let port = try Listener.tcp().port
    #expect(await cause(.tcp(host: "127.0.0.1", port: port)) == .system(ECONNREFUSED))
    #expect(await cause(.unix(path: "/nonexistent")) == .system(ENOENT))
    #expect(await cause(.serial(path: "/nonexistent", rate: 9600)) == .system(ENOENT))
    #expect(await cause(.serial(path: "/dev/null", rate: 9600)) == .notSerial)
    #expect(await cause(.kernel(0)) == .noKeeper)
    guard case .unknownHost = await cause(.tcp(host: "no host.invalid", port: 1)) else {
      return #expect(Bool(false), "a name that nobody has")
    }
  }

  @Test("A listener whose queue stays full is given up at the limit")
  func full() async throws {
    let listener = try Listener.tcp(queue: 0)
    let folder = try TemporaryFolder()
    let unix = try Listener.unix("\(folder.path)/hci", queue: 0)
    for place in [ControllerPlace.tcp(host: "127.0.0.1", port: listener.port), .unix(path: "\(folder.path)/hci")] {
      // The first connections are in the queue.
      let first = await open(place, within: .milliseconds(300))
      let start = loop.now
      var causes: [ControllerFailure.Cause?] = []
      var streams = [first]
      while causes.isEmpty, streams.count < 8 {
        let result = await open(place, within: .milliseconds(300))
        streams.append(result)
        if case .failure(let failure) = result { causes.append(failure.cause) }
      }
      #expect(causes == [.timeout], "\(place)")
      #expect(loop.now - start >= .milliseconds(300))
    }
    _ = unix
  }

  @Test(
    "A serial line is raw, has the rate and RTS and CTS, and is one program's",
    arguments: [115_200, 1_000_000, 250_123])
  func serial(rate: UInt32) async throws {
    let (controller, path) = try terminal()
    defer { close(controller) }
    let stream = try await open(.serial(path: path, rate: rate)).get()
    #expect(await cause(.serial(path: path, rate: rate)) == .system(EWOULDBLOCK))
    var words = [UInt32](repeating: 0, count: 11)
    #expect(unsafe ioctl(controller, 0x802C_542A, &words) == 0)
    #expect(words[9] == rate && words[10] == rate)
    #expect(words[2] & 0o20_000_000_000 != 0)
    // Each octet that a terminal would change or act on.
    let octets = (0...255).map { UInt8($0) }
    #expect(stream.write(octets[...]) == 256)
    #expect(read(controller, 256) == octets)
    #expect(unsafe write(controller, octets, 256) == 256)
    #expect(try await next(256, of: stream) == octets)
    stream.close()
    let again = try await open(.serial(path: path, rate: rate)).get()
    again.close()
  }

  /// The controller's end of a terminal, and the path of the phone's.
  private func terminal() throws -> (CInt, String) {
    let controller = unsafe Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN.
    var (locked, number): (CInt, CInt) = (0, 0)
    try #require(unsafe ioctl(controller, 0x4004_5431, &locked) == 0 && ioctl(controller, 0x8004_5430, &number) == 0)
    return (controller, "/dev/pts/\(number)")
  }

  private func next(_ count: Int, of stream: any ByteStream) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try #require(stream.read(upTo: 1024))
      if more.isEmpty { await ready(stream) }
      bytes += more
    }
    return bytes
  }
}

/// Waits until a stream can be read.
func ready(_ stream: any ByteStream) async {
  await withCheckedContinuation { continuation in stream.wait(for: .reading) { continuation.resume() } }
}

/// Reads this number of bytes, or what is there before the end.
func read(_ descriptor: CInt, _ count: Int) -> [UInt8] {
  var bytes: [UInt8] = []
  while bytes.count < count {
    var part = [UInt8](repeating: 0, count: count - bytes.count)
    let got = unsafe Glibc.read(descriptor, &part, part.count)
    guard got > 0 else { break }
    bytes += part[..<got]
  }
  return bytes
}

/// A listening socket, closed with the last reference.
final class Listener {
  let descriptor: CInt
  private(set) var port: UInt16 = 0

  private init(_ family: CInt, _ address: [UInt8], queue: CInt) throws {
    descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let isListening = unsafe address.withUnsafeBytes { bytes in
      unsafe bind(
        descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count)) == 0
    }
    try #require(isListening && listen(descriptor, queue) == 0)
  }

  deinit { close(descriptor) }

  /// At a free port of 127.0.0.1.
  static func tcp(queue: CInt = 4) throws -> Listener {
    let listener = try Listener(
      AF_INET, [UInt8(AF_INET), 0, 0, 0, 127, 0, 0, 1] + Array(repeating: 0, count: 8), queue: queue)
    var address = [UInt8](repeating: 0, count: 16)
    var size = socklen_t(address.count)
    unsafe address.withUnsafeMutableBytes { bytes in
      _ = unsafe getsockname(listener.descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
    }
    listener.port = UInt16(address[2]) << 8 | UInt16(address[3])
    return listener
  }

  static func unix(_ path: String, queue: CInt = 4) throws -> Listener {
    try Listener(AF_UNIX, [UInt8(AF_UNIX), 0] + Array(path.utf8) + [0], queue: queue)
  }
}
