import Glibc

/// Asks a running system one thing.
public struct ControlClient: Sendable {
  private let address: ControlAddress

  public init(address: ControlAddress) { self.address = address }

  /// Waits for the answer, at most 15 seconds.
  public func ask(_ request: ControlRequest) throws(ControlFailure) -> ControlReply {
    let descriptor = try address.connect()
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 15, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard let line = try? ControlLine.encode(request) else { throw .noAnswer(name: address.name) }
    var rest = line[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw .noAnswer(name: address.name) }
      rest = rest.dropFirst(count)
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while answer.last != UInt8(ascii: "\n") {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0, answer.count < ControlLine.maximumLength else { throw .noAnswer(name: address.name) }
      answer += buffer[..<count]
    }
    guard let reply = try? ControlLine.decode(ControlReply.self, answer) else { throw .noAnswer(name: address.name) }
    return reply
  }
}
