import Glibc

/// Where a running system is reached: a Unix socket in a folder that only its user can enter.
public struct ControlAddress: Hashable, Sendable {
  public static let defaultName = "default"

  public let name: String
  /// `$XDG_RUNTIME_DIR/blepera`, or `/tmp/blepera-UID` where there is none.
  public let folder: String

  public var socket: String { "\(folder)/\(name).socket" }
  var lock: String { "\(folder)/\(name).lock" }

  public init(name: String, environment: (String) -> String?, user: UInt32) throws(ControlFailure) {
    let isGood = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isGood, (1...32).contains(name.utf8.count) else { throw .badName(name) }
    self.name = name
    let runtime = environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
    folder = runtime.map { "\($0)/blepera" } ?? "/tmp/blepera-\(user)"
    guard socket.utf8.count <= 107 else { throw .pathTooLong(socket) }
  }

  /// Of this process's user and environment.
  public init(name: String) throws(ControlFailure) {
    try self.init(
      name: name, environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } }, user: geteuid())
  }

  /// Makes the folder, or checks that it is ours alone.
  public func prepareFolder() throws(ControlFailure) {
    if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST { throw .system(folder, reason: Self.text(errno)) }
    try checkFolder()
  }

  /// That the folder is ours alone: what stands in another one may be anybody's.
  func checkFolder() throws(ControlFailure) {
    var info = stat()
    guard unsafe lstat(folder, &info) == 0 else {
      if errno == ENOENT { throw .notRunning(name: name, socket: socket) }
      throw .system(folder, reason: Self.text(errno))
    }
    guard info.st_mode & S_IFMT == S_IFDIR else { throw .unsafeFolder(folder, reason: "is not a folder") }
    guard info.st_uid == geteuid() else { throw .unsafeFolder(folder, reason: "belongs to another user") }
    guard info.st_mode & 0o077 == 0 else { throw .unsafeFolder(folder, reason: "may be entered by others") }
  }

  /// A socket that is connected to the system of this name.
  ///
  /// - Throws: `ControlFailure.notRunning` where there is none.
  package func connect() throws(ControlFailure) -> CInt {
    try checkFolder()
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(socket, reason: Self.text(errno)) }
    guard unsafe withSocketAddress({ unsafe Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let code = errno
      close(descriptor)
      switch code {
      case ENOENT, ECONNREFUSED: throw .notRunning(name: name, socket: socket)
      default: throw .system(socket, reason: Self.text(code))
      }
    }
    return descriptor
  }

  static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }

  /// Calls `body` with the socket's address, as `bind` and `connect` take it.
  func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(socket.utf8) + [0]) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
