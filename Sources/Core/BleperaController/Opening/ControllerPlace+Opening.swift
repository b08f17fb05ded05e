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

  /// The addresses of a host, each as the bytes of a `sockaddr`.
  private func addresses(
    of host: String, _ port: UInt16, on loop: any DescriptorLoop, until deadline: Duration
  ) async throws(ControllerFailure) -> [[UInt8]] {
    let found: (code: CInt, addresses: [[UInt8]])? = await Self.first(on: loop, until: deadline) { done in
      // The C library may wait for a server of names.
      Task.detached { done(Self.resolve(host, port)) }
      return nil
    }
    guard let found else { throw ControllerFailure(self, .timeout) }
    guard found.code == 0 else {
      throw ControllerFailure(self, .unknownHost(unsafe String(cString: gai_strerror(found.code))))
    }
    return found.addresses
  }

  private static func resolve(_ host: String, _ port: UInt16) -> (code: CInt, addresses: [[UInt8]]) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, "\(port)", &hints, &list)
    var addresses: [[UInt8]] = []
    var next = unsafe list
    while let info = unsafe next {
      let bytes = unsafe UnsafeRawBufferPointer(start: info.pointee.ai_addr, count: Int(info.pointee.ai_addrlen))
      unsafe addresses.append(Array(bytes))
      unsafe next = info.pointee.ai_next
    }
    if let list = unsafe list { unsafe freeaddrinfo(list) }
    return (code, addresses)
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

  /// TCSETS2, by which Linux sets any rate, with the words of `struct termios2`: no flags but those of c_cflag (CS8,
  /// CREAD, CLOCAL, CRTSCTS and BOTHER), and no control character but VMIN, 1. The C library has no header for these.
  private func openLine(_ path: String, _ rate: UInt32) throws(ControllerFailure) -> CInt {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw ControllerFailure(self, .system(errno)) }
    var settings: [UInt32] = [0, 0, 0o20_000_014_260, 0, 0, 1 << 24, 0, 0, 0, rate, rate]
    var cause: ControllerFailure.Cause?
    if unsafe ioctl(descriptor, 0x402C_542B, &settings) != 0 {
      cause = errno == ENOTTY ? .notSerial : .system(errno)
    } else if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      cause = .system(errno)
    }
    // The end of a packet for a former host.
    tcflush(descriptor, TCIOFLUSH)
    guard let cause else { return descriptor }
    close(descriptor)
    throw ControllerFailure(self, cause)
  }
}
