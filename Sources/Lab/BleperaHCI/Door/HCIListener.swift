import Glibc

/// A descriptor on which hosts arrive, or that is the host's side already.
enum HCIListener {
  /// The controller's end of a pty, and the path of the host's.
  case terminal(CInt, path: String)
  case socket(CInt, HCIEndpoint.Place)

  /// - Throws: `HCIDoorFailure`, a sentence with the reason of the system.
  init(_ place: HCIEndpoint.Place) throws(HCIDoorFailure) {
    switch place {
    case .pty: self = try Self.terminal()
    case .tcp(let host, let port):
      let descriptor = Glibc.socket(
        AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var on: CInt = 1
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      unsafe inet_pton(AF_INET, host, &address.sin_addr)
      guard Self.bind(descriptor, &address), Glibc.listen(descriptor, 4) == 0 else {
        throw Self.failure("tcp:\(host):\(port)", closing: descriptor)
      }
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      unsafe withUnsafeMutableBytes(of: &address) { bytes in
        _ = unsafe getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
      }
      self = .socket(descriptor, .tcp(host: host, port: UInt16(bigEndian: address.sin_port)))
    case .unix(let path):
      let descriptor = Glibc.socket(
        AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
        guard path.utf8.count < bytes.count else { return false }
        unsafe bytes.copyBytes(from: path.utf8)
        return true
      }
      guard fits else {
        Glibc.close(descriptor)
        throw HCIDoorFailure(reason: "unix:\(path): the path is longer than the 107 bytes of a socket's")
      }
      // The mask makes the socket private to the user from the start.
      let mask = umask(0o077)
      let isListening = Self.listen(descriptor, &address, path)
      umask(mask)
      guard isListening else { throw Self.failure("unix:\(path)", closing: descriptor) }
      self = .socket(descriptor, place)
    }
  }

  /// Listens at the path, also in place of a socket that an ended process has left there. Of two processes that find
  /// such a socket only one replaces it, as the folder is locked meanwhile.
  private static func listen(_ descriptor: CInt, _ address: inout sockaddr_un, _ path: String) -> Bool {
    if bind(descriptor, &address) { return Glibc.listen(descriptor, 4) == 0 }
    guard errno == EADDRINUSE else { return false }
    let name = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let folder = unsafe open(name.isEmpty ? path.hasPrefix("/") ? "/" : "." : name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if folder >= 0 { Glibc.close(folder) } }
    guard folder >= 0, flock(folder, LOCK_EX | LOCK_NB) == 0, isAbandoned(path, &address) else {
      errno = EADDRINUSE
      return false
    }
    unsafe unlink(path)
    return bind(descriptor, &address) && Glibc.listen(descriptor, 4) == 0
  }

  /// Whether the path is a socket at which nobody listens.
  private static func isAbandoned(_ path: String, _ address: inout sockaddr_un) -> Bool {
    var information = stat()
    guard unsafe lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFSOCK else { return false }
    let descriptor = Glibc.socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    defer { Glibc.close(descriptor) }
    return unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe connect(
        descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
        socklen_t(MemoryLayout<sockaddr_un>.size)) < 0 && errno == ECONNREFUSED
    }
  }

  private static func bind<Address>(_ descriptor: CInt, _ address: inout Address) -> Bool {
    unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe Glibc.bind(
        descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(MemoryLayout<Address>.size))
    } == 0
  }

  private static func failure(_ name: String, closing descriptor: CInt) -> HCIDoorFailure {
    let reason = unsafe String(cString: strerror(errno))
    Glibc.close(descriptor)
    return HCIDoorFailure(reason: "\(name): \(reason)")
  }

  /// TIOCSPTLCK and TIOCGPTN, which the headers do not expose to Swift.
  private static let unlockRequest: UInt = 0x4004_5431
  private static let numberRequest: UInt = 0x8004_5430

  private static func terminal() throws(HCIDoorFailure) -> HCIListener {
    let descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
    var (lock, number): (CInt, CInt) = (0, 0)
    guard descriptor >= 0, unsafe ioctl(descriptor, unlockRequest, &lock) == 0,
      unsafe ioctl(descriptor, numberRequest, &number) == 0
    else {
      throw failure("pty", closing: descriptor)
    }
    return .terminal(descriptor, path: "/dev/pts/\(number)")
  }

  /// Opens the host's end of a terminal, which passes bytes on as they are.
  ///
  /// - Parameter isFlushed: whether what an end has not read is forgotten.
  static func otherEnd(of path: String, isFlushed: Bool = true) throws(HCIDoorFailure) -> CInt {
    let end = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    var settings = termios()
    guard end >= 0, unsafe tcgetattr(end, &settings) == 0 else { throw failure(path, closing: end) }
    unsafe cfmakeraw(&settings)
    unsafe tcsetattr(end, TCSANOW, &settings)
    if isFlushed { tcflush(end, TCIOFLUSH) }
    return end
  }
}

/// Why a controller cannot be reached, a sentence without its end.
package struct HCIDoorFailure: Error, Hashable, CustomStringConvertible {
  package let reason: String

  package var description: String { reason }
}
