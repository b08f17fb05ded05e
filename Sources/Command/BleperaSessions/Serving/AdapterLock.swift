import BleperaBlueZ
import Glibc

/// Reserves an adapter for one phone of the machine, across users, until this process ends.
///
/// A phone listens on an abstract socket with the adapter's name, and on a second one that adds the phone's name, which
/// other phones find in /proc/net/unix.
final class AdapterLock: AdapterClaim {
  private let sockets: [CInt]

  private init(_ sockets: [CInt]) { self.sockets = sockets }

  deinit { for socket in sockets { close(socket) } }

  /// Returns the lock of an adapter in a run of bluetoothd, or the error that names the phone that has it.
  static func claim(_ run: String, for phone: String) -> Result<any AdapterClaim, AdapterInUse> {
    let name = "blepera/\(run.map { $0 == " " ? "/" : $0 }.map(String.init).joined())"
    guard let socket = listen(on: name) else {
      let other = owner(below: "@\(name)/")
      let adapter = run.split(separator: " ").last ?? ""
      let words = other.map { "the phone '\($0.phone)' of \($0.user)" } ?? "another phone"
      let end = other.map { " --system \($0.phone)" } ?? ""
      return .failure(
        AdapterInUse(
          reason:
            "\(words) uses \(adapter), and an adapter has one phone: end that one with 'blepera shutdown\(end)', or "
            + "choose another adapter with --adapter"))
    }
    return .success(AdapterLock([socket] + [listen(on: "\(name)/\(phone)/\(geteuid())")].compactMap(\.self)))
  }

  /// Listens on an abstract socket; nil if another socket has the name.
  private static func listen(on name: String) -> CInt? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    let longest = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard bytes.count <= longest else { return nil }
    // An abstract name begins with a zero byte.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
      for (index, byte) in bytes.enumerated() { unsafe path[index + 1] = byte }
    }
    let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + bytes.count)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(socket, $0, length) }
    }
    guard result == 0, Glibc.listen(socket, 1) == 0 else {
      close(socket)
      return nil
    }
    return socket
  }

  private static func owner(below prefix: String) -> (phone: String, user: String)? {
    guard let file = unsafe fopen("/proc/net/unix", "re") else { return nil }
    defer { unsafe fclose(file) }
    var buffer = [CChar](repeating: 0, count: 512)
    while unsafe fgets(&buffer, CInt(buffer.count), file) != nil {
      let line = String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard let name = line.split(separator: " ").last, name.hasPrefix(prefix) else { continue }
      let parts = name.dropFirst(prefix.count).split(separator: "/")
      guard parts.count == 2, let id = uid_t(parts[1]), parts[0].utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
        continue
      }
      let user = unsafe getpwuid(id).map { unsafe String(cString: $0.pointee.pw_name) }
      return (String(parts[0]), user ?? "user \(id)")
    }
    return nil
  }
}
