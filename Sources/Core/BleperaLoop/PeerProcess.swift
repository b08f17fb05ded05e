package import Glibc

/// The process at the other end of a Unix socket.
package struct PeerProcess: Hashable, Sendable {
  package let process: pid_t
  package let user: uid_t

  /// SO_PEERCRED returns a `struct ucred`, which the headers do not expose to Swift: three 32-bit numbers.
  init?(of descriptor: CInt) {
    var credentials: [UInt32] = [0, 0, 0]
    var size = socklen_t(MemoryLayout<UInt32>.stride * credentials.count)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    process = pid_t(bitPattern: credentials[0])
    user = credentials[1]
  }
}
