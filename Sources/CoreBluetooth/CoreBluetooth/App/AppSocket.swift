import BleperaAppLink
import BleperaLoop
import Glibc

/// The app's end of the phone's socket, read and written by blocking calls.
final class AppSocket: @unchecked Sendable {  // one thread reads, `lock` keeps the lines of writers apart
  private let descriptor: CInt
  private let lock = NSLock()
  private var buffer: [UInt8] = []
  /// Descriptors that came with lines; only the thread that reads uses them.
  private var descriptors: [CInt] = []
  /// The buffer for one call of `read`.
  private var chunk = [UInt8](repeating: 0, count: 1 << 14)
  /// The bytes of `buffer` that have been returned as lines.
  private var consumed = 0

  init(_ descriptor: CInt) { self.descriptor = descriptor }

  deinit { for descriptor in [descriptor] + descriptors { close(descriptor) } }

  /// Has no effect after the phone has closed the socket.
  func send(_ message: AppMessage) {
    let line = JSONLine.encode(message)
    lock.withLock {
      var sent = 0
      while sent < line.count {
        let count = unsafe line.withUnsafeBytes { bytes in
          unsafe Glibc.send(descriptor, bytes.baseAddress! + sent, bytes.count - sent, CInt(MSG_NOSIGNAL))
        }
        if count > 0 { sent += count } else if errno != EINTR { return }
      }
    }
  }

  /// The next message; nil after the phone has closed the socket.
  func next() -> PhoneMessage? {
    var searched = consumed
    while true {
      if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[consumed..<end])
        consumed = end + 1
        do throws(JSONLine.Fault) {
          return try JSONLine.decode(PhoneMessage.self, line)
        } catch {
          // A newer phone may have messages that this library does not know.
          Misuse.log("The phone sent a line that is not a message: \(error.reason)")
          searched = consumed
          continue
        }
      }
      if consumed > 0 {
        buffer.removeFirst(consumed)
        consumed = 0
      }
      searched = buffer.count
      guard buffer.count < JSONLine.maximumLength, fill() else { return nil }
    }
  }

  /// Takes the oldest stream that a message has brought. Only the thread that reads calls this.
  func takeStream() -> SocketStream? { descriptors.isEmpty ? nil : SocketStream(descriptors.removeFirst()) }

  private func fill() -> Bool {
    var count = -1
    repeat {
      count = unsafe chunk.withUnsafeMutableBytes { bytes in
        unsafe DescriptorMessage.receive(bytes, from: descriptor, &descriptors)
      }
    } while count < 0 && errno == EINTR
    guard count > 0 else { return false }
    buffer += chunk[..<count]
    return true
  }
}
