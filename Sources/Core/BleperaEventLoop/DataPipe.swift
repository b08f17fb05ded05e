import BleperaLoop
import Glibc

/// A pair of sockets used as a pipe. A program inherits an end only if passed one, even if several threads start
/// programs; both ends are closed with the last reference.
package final class DataPipe {
  package private(set) var reader: CInt
  package private(set) var writer: CInt

  /// Nil if this process has too many descriptors.
  package init?() {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    reader = ends[0]
    writer = ends[1]
  }

  deinit {
    closeReader()
    closeWriter()
  }

  package func closeReader() {
    if reader >= 0 { close(reader) }
    reader = -1
  }

  package func closeWriter() {
    if writer >= 0 { close(writer) }
    writer = -1
  }

  /// Writes a text; has no effect if nobody reads anymore.
  package func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe send(writer, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// The next line without its line feed; nil at the end of the data or after `limit` milliseconds.
  package func readLine(within limit: CInt) -> String? {
    var line: [UInt8] = []
    while true {
      var wanted = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&wanted, 1, limit)
      if count < 0, errno == EINTR { continue }
      var byte: UInt8 = 0
      guard count > 0, unsafe read(reader, &byte, 1) == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }
}
