import BusTesting
import Glibc

/// One client of a `PeerServer`: its socket, read and written in calls that wait.
struct RawClient {
  let descriptor: CInt

  /// Ends with the socket closed.
  func play(_ script: PeerServer.Script) {
    perform(script)
    close(descriptor)
    if case .resetting(_, let then) = script { then.writeByte() }
  }

  private func perform(_ script: PeerServer.Script) {
    if case .silence = script { return drain() }
    guard authenticate(rejects: script.rejects) else { return }
    if case .noHello = script { return drain() }
    guard let serial = readSerial() else { return }
    switch script {
    case .silence, .rejection, .noHello: break
    case .sending(let bytes, let closes):
      send(RawMessage.helloReply(to: serial).bytes)
      guard readSerial() != nil else { return }
      send(bytes)
      if !closes { drain() }
    case .answeringHello(let message):
      send(message.bytes)
      drain()
    case .resetting(let until, _):
      send(RawMessage.helloReply(to: serial).bytes)
      _ = until.readByte()
      // A close without lingering is a reset.
      var lingering = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
    }
  }

  /// The client's side of the handshake up to BEGIN (D-Bus specification, "Authentication Protocol").
  private func authenticate(rejects: Bool) -> Bool {
    while let line = readLine() {
      if line == "BEGIN" { return true }
      if line.hasPrefix("AUTH") {
        send(Array((rejects ? "REJECTED\r\n" : "OK 0123456789abcdef0123456789abcdef\r\n").utf8))
      } else if line == "NEGOTIATE_UNIX_FD" {
        send(Array("AGREE_UNIX_FD\r\n".utf8))
      } else {
        send(Array("ERROR\r\n".utf8))
      }
    }
    return false
  }

  private func readLine() -> String? {
    var line: [UInt8] = []
    while let byte = read(1)?.first {
      if byte == UInt8(ascii: "\n") {
        return String(decoding: line.filter { $0 != 0 && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
      }
      line.append(byte)
    }
    return nil
  }

  /// Reads one message whole.
  private func readSerial() -> UInt32? {
    guard let start = read(16) else { return nil }
    func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(start[offset + $1]) << (8 * $1) } }
    guard read((number(12) + 7) & ~7 + number(4)) != nil else { return nil }
    return UInt32(number(8))
  }

  private func read(_ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < count {
      let got = unsafe recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
      guard got > 0 else { return nil }
      bytes += buffer[..<got]
    }
    return bytes
  }

  private func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = unsafe rest.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Until the client closes.
  private func drain() { while read(1) != nil {} }
}

extension PeerServer.Script {
  fileprivate var rejects: Bool {
    if case .rejection = self { true } else { false }
  }
}
