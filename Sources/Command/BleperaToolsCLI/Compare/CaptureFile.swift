import BleperaCLI
import BleperaCompare
import Glibc

/// A capture that is read in pieces.
struct CaptureFile {
  struct Unreadable: Error, CustomStringConvertible { let description: String }

  /// `-` for standard input.
  let path: String

  var isStandardInput: Bool { path == "-" }

  /// - Parameter progress: a terminal that shows how much of a long file is read.
  func read(progress: Terminal? = nil, _ add: (CapturedPacket) -> Void) throws {
    let file = isStandardInput ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard file >= 0 else { throw Self.failure }
    defer { if !isStandardInput { close(file) } }
    let size = Self.size(of: file)
    let shown = progress.flatMap { $0.isTerminal && size >= Self.long ? $0 : nil }
    defer { shown?.write(Array("\r\u{1B}[K".utf8)) }
    var (reader, done, percent) = (CaptureReader(), 0, -1)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = unsafe Glibc.read(file, &buffer, buffer.count)
      guard count >= 0 else { throw Self.failure }
      if count == 0 { reader.end() } else { reader.append(Array(buffer.prefix(count))) }
      while let packet = try reader.next() { add(packet) }
      if count == 0 { return }
      done += count
      if let shown, done * 100 / size > percent {
        percent = done * 100 / size
        shown.write(Array("\r\(min(percent, 100)) % of \(size >> 20) MB, \(reader.records) packets".utf8))
      }
    }
  }

  /// The length in bytes from which on reading a file takes seconds, so that progress is shown.
  private static let long = 64 << 20

  private static var failure: Unreadable { Unreadable(description: unsafe String(cString: strerror(errno))) }

  private static func size(of file: CInt) -> Int {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? Int(status.st_size) : 0
  }
}
