import Glibc

/// Where a running system is reached: a Unix socket in a folder that only its user can enter.
public struct ControlAddress: Hashable, Sendable {
  public static let defaultName = "default"
  /// The variable that names a folder in place of the user's: a lab sets it, so that its phones are found inside it.
  public static let folderVariable = "BLEPERA_RUNTIME_DIR"
  /// In bytes.
  public static let longestName = 32
  /// Of a folder in which every name has room: a socket's path has at most 107 bytes.
  public static let longestFolder = longestPath - "/".utf8.count - suffix.utf8.count - longestName
  private static let longestPath = 107
  private static let suffix = ".socket"

  public let name: String
  /// `$BLEPERA_RUNTIME_DIR`, `$XDG_RUNTIME_DIR/blepera`, or `/tmp/blepera-UID` where there is neither.
  public let folder: String

  public var socket: String { folder + "/" + name + Self.suffix }
  var lock: String { "\(folder)/\(name).lock" }

  public init(name: String, environment: (String) -> String?, user: UInt32) throws(ControlFailure) {
    func path(_ variable: String) -> String? { environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let own = path("XDG_RUNTIME_DIR").map { "\($0)/blepera" }
    try self.init(name: name, folder: path(Self.folderVariable) ?? own ?? "/tmp/blepera-\(user)")
  }

  public init(name: String, folder: String) throws(ControlFailure) {
    let isGood = name.utf8.allSatisfy { Self.isAllowed($0) }
    guard isGood, (1...Self.longestName).contains(name.utf8.count) else { throw .badName(name) }
    self.name = name
    self.folder = folder
    guard socket.utf8.count <= Self.longestPath else { throw .pathTooLong(socket) }
  }

  /// Of this process's user and environment.
  public init(name: String) throws(ControlFailure) {
    try self.init(
      name: name, environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } }, user: geteuid())
  }

  /// A name that may stand in an address and is like `text`; numbered where `taken` has it already.
  public static func name(like text: String, besides taken: [String]) -> String {
    let characters = text.utf8.map { isAllowed($0) ? Character(UnicodeScalar($0)) : "-" }
    // With room for a number.
    let stem = String(characters.prefix(longestName - 4))
    let first = stem.isEmpty ? "phone" : stem
    let others = (2...).lazy.map { "\(first)-\($0)" }
    return taken.contains(first) ? others.first { !taken.contains($0) } ?? first : first
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Has the default name mean this one too, in a folder where nobody else has it.
  public func becomeDefault() {
    guard name != Self.defaultName else { return }
    unsafe symlink(name + Self.suffix, folder + "/" + Self.defaultName + Self.suffix)
  }

  /// The names of the other systems in the folder.
  var neighbours: [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let file = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if file.hasSuffix(Self.suffix) { names.append(String(file.dropLast(Self.suffix.count))) }
    }
    return names.filter { $0 != name }.sorted()
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
      case ENOENT, ECONNREFUSED: throw .notRunning(name: name, socket: socket, others: neighbours)
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
