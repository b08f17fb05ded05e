package import BleperaLoop
import Glibc

extension ControllerPlace {
  package static let openTimeout = Duration.seconds(5)

  /// Opens a stream of HCI packets with their octet of H4.
  ///
  /// - Parameters:
  ///   - keeper: opens the kernel's user channel; nil where no process was started for that.
  ///   - completion: called once, on the loop.
  package func open(
    on loop: any DescriptorLoop, within limit: Duration = openTimeout,
    keeper: ChannelKeeper? = ChannelKeeper.ofProcess,
    completion: @escaping @Sendable (Result<any ByteStream, ControllerFailure>) -> Void
  ) {
    Task(executorPreference: loop.tasks) {
      do throws(ControllerFailure) {
        completion(.success(try await open(on: loop, until: loop.now + limit, keeper)))
      } catch {
        completion(.failure(error))
      }
    }
  }

  private func open(
    on loop: any DescriptorLoop, until deadline: Duration, _ keeper: ChannelKeeper?
  ) async throws(ControllerFailure) -> any ByteStream {
    switch self {
    case .kernel:
      guard let keeper else { throw ControllerFailure(self, .noKeeper) }
      return try await keeper.open(self, on: loop, until: deadline)
    case .tcp(let host, let port):
      let addresses = try await addresses(of: host, port, on: loop, until: deadline)
      var failure = ControllerFailure(self, .unknownHost("no address"))
      for (number, address) in addresses.enumerated() {
        // An address that does not answer leaves time for the others.
        let share = (deadline - loop.now) / (addresses.count - number)
        do throws(ControllerFailure) {
          let descriptor = try await connect(to: address, on: loop, until: loop.now + share)
          SocketOption.set(TCP_NODELAY, of: CInt(IPPROTO_TCP), to: 1, on: descriptor)
          // RootCanal sends the octet of H4 and the rest apart.
          return DescriptorStream(loop: loop, descriptor: descriptor, acknowledgesAtOnce: true)
        } catch {
          failure = error
        }
      }
      throw failure
    case .unix(let path):
      let address = unsafe withUnsafeBytes(of: sa_family_t(AF_UNIX)) { unsafe Array($0) } + Array(path.utf8) + [0]
      return DescriptorStream(loop: loop, descriptor: try await connect(to: address, on: loop, until: deadline))
    case .serial(let path, let rate):
      return DescriptorStream(loop: loop, descriptor: try openLine(path, rate))
    }
  }

  // MARK: Sockets

  /// The pause before another try to connect to a Unix socket whose queue of connections is full.
  private static let pause = Duration.milliseconds(50)

  /// - Parameter address: the bytes of a `sockaddr`.
  private func connect(
    to address: [UInt8], on loop: any DescriptorLoop, until deadline: Duration
  ) async throws(ControllerFailure) -> CInt {
    let family = unsafe address.withUnsafeBytes { unsafe $0.loadUnaligned(as: sa_family_t.self) }
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(CInt(family), CInt(kind), 0)
    guard descriptor >= 0 else { throw ControllerFailure(self, .system(errno)) }
    var error = Self.connect(descriptor, address)
    while error == EAGAIN, loop.now < deadline {
      try? await loop.sleep(for: Self.pause)
      error = Self.connect(descriptor, address)
    }
    if error == EINPROGRESS {
      let isReady = await Self.first(on: loop, until: deadline) { done in
        loop.watch(descriptor: descriptor, for: .writing) { _ in done(true) }
      }
      var size = socklen_t(MemoryLayout<CInt>.size)
      if isReady != nil { _ = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) }
    }
    if error == 0 { return descriptor }
    close(descriptor)
    throw ControllerFailure(self, [EAGAIN, EINPROGRESS, ETIMEDOUT].contains(error) ? .timeout : .system(error))
  }

  /// - Returns: 0, or the error of the system.
  private static func connect(_ descriptor: CInt, _ address: [UInt8]) -> CInt {
    let result = unsafe address.withUnsafeBytes { bytes in
      unsafe Glibc.connect(
        descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t(bytes.count))
    }
    return result == 0 ? 0 : errno
  }

  private func addresses(
    of host: String, _ port: UInt16, on loop: any DescriptorLoop, until deadline: Duration
  ) async throws(ControllerFailure) -> [[UInt8]] {
    let found: Result<[[UInt8]], ControllerFailure>? = await Self.first(on: loop, until: deadline) { done in
      // A name may be asked of a server, for which the C library waits.
      Task.detached { done(self.resolve(host, port)) }
      return nil
    }
    guard let found else { throw ControllerFailure(self, .timeout) }
    return try found.get()
  }

  private func resolve(_ host: String, _ port: UInt16) -> Result<[[UInt8]], ControllerFailure> {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      return .failure(ControllerFailure(self, .unknownHost(unsafe String(cString: gai_strerror(code)))))
    }
    defer { unsafe freeaddrinfo(list) }
    var addresses: [[UInt8]] = []
    var next = unsafe list
    while let info = unsafe next {
      let bytes = unsafe UnsafeRawBufferPointer(start: info.pointee.ai_addr, count: Int(info.pointee.ai_addrlen))
      unsafe addresses.append(Array(bytes))
      unsafe next = info.pointee.ai_next
    }
    return .success(addresses)
  }

  /// The first value; nil at the deadline.
  ///
  /// - Parameter start: starts what calls its argument with a value, and returns a watch that ends then.
  static func first<Value: Sendable>(
    on loop: any DescriptorLoop, until deadline: Duration,
    _ start: (@escaping @Sendable (Value) -> Void) -> (any LoopTimer)?
  ) async -> Value? {
    let (values, continuation) = AsyncStream.makeStream(of: Value?.self, bufferingPolicy: .bufferingOldest(1))
    let watch = start { continuation.yield($0) }
    let timer = loop.schedule(after: deadline - loop.now) { continuation.yield(nil) }
    defer {
      watch?.cancel()
      timer.cancel()
    }
    for await value in values { return value }
    return nil
  }

  // MARK: Serial lines

  /// `struct termios2` with its commands, by which Linux sets any rate, and of which the C library has no header.
  private enum Line {
    static let (get, set) = (UInt(0x802C_542A), UInt(0x402C_542B))
    /// CBAUD and CRTSCTS in c_cflag; BOTHER, a rate of its own, in place of a usual rate's number.
    static let (rates, otherRate, flowControl) = (UInt32(0o10017), UInt32(0o10000), UInt32(0o20_000_000_000))
    /// Words of the structure: c_cflag, c_ispeed and c_ospeed.
    static let (flags, input, output) = (2, 9, 10)
  }

  private func openLine(_ path: String, _ rate: UInt32) throws(ControllerFailure) -> CInt {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw ControllerFailure(self, .system(errno)) }
    do throws(ControllerFailure) {
      try prepare(descriptor, rate)
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  private func prepare(_ descriptor: CInt, _ rate: UInt32) throws(ControllerFailure) {
    var settings = termios()
    guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw ControllerFailure(self, .notSerial) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw ControllerFailure(self, .system(errno)) }
    unsafe cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CREAD | CLOCAL)
    settings.c_cflag &= ~tcflag_t(CSTOPB)
    settings.c_cc.6 = 1  // VMIN
    settings.c_cc.5 = 0  // VTIME
    guard unsafe tcsetattr(descriptor, TCSANOW, &settings) == 0 else { throw ControllerFailure(self, .system(errno)) }
    var words = [UInt32](repeating: 0, count: 11)
    guard unsafe ioctl(descriptor, Line.get, &words) == 0 else { throw ControllerFailure(self, .rate(rate)) }
    words[Line.flags] = words[Line.flags] & ~Line.rates | Line.otherRate | Line.flowControl
    (words[Line.input], words[Line.output]) = (rate, rate)
    guard unsafe ioctl(descriptor, Line.set, &words) == 0 else { throw ControllerFailure(self, .rate(rate)) }
    // The end of a packet for a former host.
    tcflush(descriptor, TCIOFLUSH)
  }
}
