import Glibc

/// Options of sockets that are numbers.
package enum SocketOption {
  /// - Returns: whether the socket has the option.
  @discardableResult
  package static func set(_ option: CInt, of level: CInt, to value: CInt, on socket: CInt) -> Bool {
    var value = value
    return unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
  }
}
