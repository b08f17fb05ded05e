package import BleperaDBus
import Glibc
import Synchronization

/// A pair of sockets used as a pipe, whose ends are closed with the last reference. Unlike a pipe it can be had so that
/// no program that another test starts just then takes an end along, and with it a leash that never ends.
package final class Pipe: Sendable {
  package let reader: CInt
  private let ownWriter: Mutex<CInt>

  package init() throws {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw TemporaryFolder.Failure(code: errno) }
    reader = ends[0]
    ownWriter = Mutex(ends[1])
  }

  deinit {
    closeWriter()
    close(reader)
  }

  /// -1 once it is closed or taken.
  package var writer: CInt { ownWriter.withLock { $0 } }

  package func closeWriter() { _ = takeWriter() }

  /// The end for writing as a value that owns it.
  package func takeWriter() -> UnixFileDescriptor {
    ownWriter.withLock { writer in
      defer { writer = -1 }
      return UnixFileDescriptor(owning: writer)
    }
  }

  package func writeByte() {
    var byte: UInt8 = 1
    _ = unsafe write(writer, &byte, 1)
  }

  /// Reads a line, without its line feed; empty at the end of the pipe.
  package func readLine() -> String {
    var line: [UInt8] = []
    while let byte = readByte(), byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  /// Reads a byte; nil once every end for writing is closed.
  package func readByte() -> UInt8? {
    var byte: UInt8 = 0
    return unsafe read(reader, &byte, 1) == 1 ? byte : nil
  }
}
