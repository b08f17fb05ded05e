import BleperaDBus
import BusTesting
import Glibc

/// A listening socket that plays the server side of a D-Bus connection, to one client after another, by a script.
final class PeerServer: Sendable {
  /// The behavior of the server toward a client.
  enum Script: Sendable {
    /// Nothing at all: not even an answer to its authentication.
    case silence
    /// A refusal of every authentication.
    case rejection
    /// An authentication that succeeds, then nothing.
    case noHello
    /// An answer to Hello, and to the next message these bytes, then the end where `closes`.
    case sending([UInt8], closes: Bool)
    /// Hello answered with that message, whose reply serial is 1.
    case answeringHello(RawMessage)
    /// An answer to Hello, then a reset of the connection once `until` says so; over TCP only.
    case resetting(until: Pipe, then: Pipe)
  }

  struct Failure: Error {
    let code: CInt
  }

  let address: BusAddress
  private let folder: TemporaryFolder?

  /// Plays `scripts` to as many clients, in order, and closes the door to more.
  init(overTCP: Bool = false, _ scripts: [Script]) throws {
    let folder = overTCP ? nil : try TemporaryFolder()
    self.folder = folder
    let listener: CInt
    (listener, address) = try folder.map { try Self.listen(in: $0) } ?? Self.listenOnTCP()
    // A thread that nobody waits for: its calls wait for clients.
    let player = unsafe Unmanaged.passRetained(Player(listener: listener, scripts: scripts)).toOpaque()
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { player in
        unsafe Unmanaged<Player>.fromOpaque(player!).takeRetainedValue().play()
        return nil
      }, player)
    guard code == 0 else { throw Failure(code: code) }
    pthread_detach(thread)
  }

  private final class Player: Sendable {
    let listener: CInt
    let scripts: [Script]

    init(listener: CInt, scripts: [Script]) {
      self.listener = listener
      self.scripts = scripts
    }

    func play() {
      for script in scripts {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { break }
        RawClient(descriptor: client).play(script)
      }
      close(listener)
    }
  }

  private static func listen(in folder: TemporaryFolder) throws -> (CInt, BusAddress) {
    let path = "\(folder.path)/socket"
    let listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(listener, $0, size) }
    }
    guard result == 0, Glibc.listen(listener, 8) == 0 else { throw Failure(code: errno) }
    return (listener, BusAddress("unix:path=\(path)"))
  }

  private static func listenOnTCP() throws -> (CInt, BusAddress) {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(listener, pointer, size) == 0 else { return -1 as CInt }
        return unsafe getsockname(listener, pointer, &size)
      }
    }
    guard result == 0, Glibc.listen(listener, 8) == 0 else { throw Failure(code: errno) }
    return (listener, BusAddress("tcp:host=127.0.0.1,port=\(UInt16(bigEndian: address.sin_port))"))
  }
}
