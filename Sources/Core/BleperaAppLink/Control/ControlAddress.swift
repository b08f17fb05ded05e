import BleperaLoop
import Glibc

/// The address of a phone: a Unix socket in a folder that only its user can enter.
package struct ControlAddress: Hashable, Sendable {
  package static let defaultName = "default"
  /// The variable that overrides the folder; a lab sets it so that commands find its phones.
  package static let folderVariable = "BLEPERA_RUNTIME_DIR"
  /// The maximum length of a name, in bytes.
  package static let longestName = 32
  /// The maximum length of a folder's path that leaves room for every name: a socket's path has at most 107 bytes.
  package static let longestFolder = longestPath - "/".utf8.count - suffix.utf8.count - longestName
  private static let longestPath = 107
  private static let suffix = ".socket"

  package let name: String
  /// `$BLEPERA_RUNTIME_DIR`, `$XDG_RUNTIME_DIR/blepera`, or `/tmp/blepera-UID` without these variables.
  package let folder: String

  /// The first line of output of a phone that another process has started, once apps can connect; any other line is the
  /// reason why they cannot.
  package static let ready = "ready"
  /// The arguments of `blepera` that start the phone as a process of its own.
  package var startArguments: [String] { ["system", "--detached", "--system", name] }

  package var socket: String { folder + "/" + name + Self.suffix }
  package var lock: String { "\(folder)/\(name).lock" }

  package init(name: String, environment: (String) -> String?, user: UInt32) throws(ControlFailure) {
    func path(_ variable: String) -> String? { environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let own = path("XDG_RUNTIME_DIR").map { "\($0)/blepera" }
    try self.init(name: name, folder: path(Self.folderVariable) ?? own ?? "/tmp/blepera-\(user)")
  }

  package init(name: String, folder: String) throws(ControlFailure) {
    let isGood = name.utf8.allSatisfy { Self.isAllowed($0) }
    guard isGood, (1...Self.longestName).contains(name.utf8.count) else { throw .badName(name) }
    self.name = name
    self.folder = folder
    guard socket.utf8.count <= Self.longestPath else { throw .pathTooLong(socket) }
  }

  /// The address for this process's user and environment.
  package init(name: String) throws(ControlFailure) {
    try self.init(
      name: name, environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } }, user: geteuid())
  }

  /// Returns a valid name that resembles `text`, with a number where `taken` already contains the name.
  package static func name(like text: String, besides taken: [String]) -> String {
    let characters = text.utf8.map { isAllowed($0) ? Character(UnicodeScalar($0)) : "-" }
    // Leave room for a number.
    let stem = String(characters.prefix(longestName - 4))
    let first = stem.isEmpty ? "phone" : stem
    let others = (2...).lazy.map { "\(first)-\($0)" }
    return taken.contains(first) ? others.first { !taken.contains($0) } ?? first : first
  }

  /// Whether names may have the character: an ASCII letter, a digit, `-` or `_`.
  package static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Symlinks the default socket name to this socket.
  package func becomeDefault() {
    guard name != Self.defaultName else { return }
    unsafe symlink(name + Self.suffix, folder + "/" + Self.defaultName + Self.suffix)
  }

  /// The names of the other phones in the folder that accept connections.
  var otherNames: [String] {
    let files = FolderNames.list(folder).filter { $0.hasSuffix(Self.suffix) }
    let names = files.map { String($0.dropLast(Self.suffix.count)) }
    return names.filter { $0 != name && isListening($0) }.sorted()
  }

  /// Whether a phone listens at the socket of another name; a phone that was killed leaves its socket.
  private func isListening(_ other: String) -> Bool {
    guard let address = try? ControlAddress(name: other, folder: folder) else { return false }
    let descriptor = address.connected()
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }

  /// Creates the folder, or checks that only this user can enter it.
  package func prepareFolder() throws(ControlFailure) {
    if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw .system(
        "the folder \(folder) for the sockets of phones (by XDG_RUNTIME_DIR or BLEPERA_RUNTIME_DIR) cannot be created",
        reason: Self.text(errno))
    }
    try checkFolder()
  }

  /// Checks that only this user can enter the folder.
  func checkFolder() throws(ControlFailure) {
    var info = stat()
    guard unsafe lstat(folder, &info) == 0 else {
      if errno == ENOENT { throw .notRunning(name: name, socket: socket) }
      throw .system(folder, reason: Self.text(errno))
    }
    guard info.st_mode & S_IFMT == S_IFDIR else { throw .unsafeFolder(folder, reason: "is not a folder") }
    guard info.st_uid == geteuid() else { throw .unsafeFolder(folder, reason: "belongs to another user") }
    guard info.st_mode & 0o077 == 0 else { throw .unsafeFolder(folder, reason: "is accessible to other users") }
  }

  /// Whether the phone is a service, or was one when it was killed: a phone that ends by itself removes its lock.
  package var isService: Bool {
    var info = stat()
    return unsafe stat(lock, &info) == 0 && info.st_size > 0
  }

  /// Writes into the lock, which stays where its process is killed, whether a service manager starts the phone again.
  func markLock(_ lock: CInt, isService: Bool) {
    ftruncate(lock, 0)
    if isService { _ = unsafe write(lock, "service\n", 8) }
  }

  /// Connects to the phone and returns the socket.
  ///
  /// - Throws: `ControlFailure.notRunning` where no phone has the name.
  package func connect() throws(ControlFailure) -> CInt {
    try checkFolder()
    let descriptor = connected()
    guard descriptor < 0 else { return descriptor }
    switch errno {
    case ENOENT, ECONNREFUSED: throw .notRunning(name: name, socket: socket, others: otherNames)
    case EAGAIN: throw .noResponse(name: name)
    case let code: throw .system(socket, reason: Self.text(code))
    }
  }

  /// How long connecting may take where a phone accepts no more connections, in seconds.
  private static let connectTimeout = 1

  /// A socket that is connected to the phone, or -1 and `errno`.
  private func connected() -> CInt {
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return -1 }
    var limit = timeval(tv_sec: Self.connectTimeout, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard unsafe withSocketAddress({ unsafe Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let code = errno
      close(descriptor)
      errno = code
      return -1
    }
    return descriptor
  }

  static func text(_ code: CInt) -> String { unsafe String(cString: strerror(code)) }

  /// Calls `body` with the socket's address, as expected by `bind` and `connect`.
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
