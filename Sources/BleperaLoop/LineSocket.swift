package import Glibc
import Synchronization

/// A stream socket on which both sides send lines.
///
/// A sender does not wait: what the socket does not take at once is kept and sent when it does. A peer that takes
/// nothing any more, while more than `maximumOutput` bytes wait for it, is taken for gone.
package final class LineSocket: Sendable {
  package enum Event: Hashable, Sendable {
    /// Without its line feed.
    case line([UInt8])
    /// A line is longer than `maximumLine`; nothing is read any more.
    case lineTooLong
    /// The other side sends no more or is gone; what is sent may still reach it.
    case ended
  }

  package typealias Handler = @Sendable (Event) -> Void

  private let loop: any DescriptorLoop
  private let maximumLine: Int
  private let maximumOutput: Int
  private let state: Mutex<State>

  private struct State {
    /// -1 once it is closed.
    var descriptor: CInt
    var handler: Handler?
    var input: [UInt8] = []
    /// The bytes of the input that belong to lines that were taken.
    var taken = 0
    /// How many bytes of the input are known to hold no further line feed.
    var searched = 0
    var output: [UInt8] = []
    var reader: (any LoopTimer)?
    var writer: (any LoopTimer)?
    /// Whether nothing more is sent but what waits.
    var isClosing = false
  }

  /// Takes a connected socket over.
  ///
  /// - Parameters:
  ///   - maximumLine: in bytes.
  ///   - maximumOutput: in bytes.
  package init(loop: any DescriptorLoop, descriptor: CInt, maximumLine: Int, maximumOutput: Int = 16 << 20) {
    self.loop = loop
    self.maximumLine = maximumLine
    self.maximumOutput = maximumOutput
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    state = Mutex(State(descriptor: descriptor))
  }

  deinit { state.withLock { Self.end(&$0) } }

  /// Reads from now on; `handler` is called on the loop's thread, in the place of one that was given before.
  package func handle(_ handler: @escaping Handler) {
    state.withLock { state in
      state.handler = handler
      guard state.reader == nil, state.descriptor >= 0, !state.isClosing else { return }
      state.reader = loop.watch(descriptor: state.descriptor, for: .reading) { [weak self] _ in self?.receive() }
    }
  }

  package func send(_ bytes: [UInt8]) {
    state.withLock { state in
      guard !state.isClosing, state.descriptor >= 0 else { return }
      state.output += bytes
      flush(&state)
    }
  }

  /// What was sent before still goes out; the handler is not called any more.
  package func close() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      state.isClosing = true
      state.handler = nil
      state.reader?.cancel()
      state.reader = nil
      flush(&state)
    }
  }

  /// The process at the other end, as it was when the sockets were connected; nil where the kernel does not say.
  package var peer: PeerProcess? { state.withLock { PeerProcess(of: $0.descriptor) } }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let (count, code) = state.withLock { state -> (Int, CInt) in
      guard state.descriptor >= 0, !state.isClosing else { return (-1, EAGAIN) }
      let count = unsafe read(state.descriptor, &buffer, buffer.count)
      if count > 0 { state.input += buffer[..<count] }
      return (count, errno)
    }
    if count > 0 { return takeLines() }
    if count < 0, code == EAGAIN || code == EINTR { return }
    endReading(.ended)
  }

  private func takeLines() {
    while true {
      let (line, isTooLong, handler) = state.withLock { state -> ([UInt8]?, Bool, Handler?) in
        guard let end = state.input[state.searched...].firstIndex(of: UInt8(ascii: "\n")) else {
          // What was taken goes once for all lines of one read.
          state.input.removeFirst(state.taken)
          state.taken = 0
          state.searched = state.input.count
          return (nil, state.input.count > maximumLine, state.handler)
        }
        let line = Array(state.input[state.taken..<end])
        state.taken = end + 1
        state.searched = end + 1
        return (line, false, state.handler)
      }
      if isTooLong { return endReading(.lineTooLong) }
      guard let line else { return }
      handler?(.line(line))
    }
  }

  private func endReading(_ event: Event) {
    let handler = state.withLock { state in
      state.reader?.cancel()
      state.input = []
      state.taken = 0
      state.searched = 0
      return state.handler
    }
    handler?(event)
  }

  private func flush(_ state: inout State) {
    while !state.output.isEmpty {
      let count = unsafe state.output.withUnsafeBytes {
        unsafe Glibc.send(state.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      if count > 0 {
        state.output.removeFirst(count)
        continue
      }
      if errno == EINTR { continue }
      guard errno == EAGAIN, state.output.count <= maximumOutput else {
        // The reader hears of it.
        state.output = []
        shutdown(state.descriptor, CInt(SHUT_RDWR))
        break
      }
      // What waits is sent, whether or not anybody still holds the socket.
      if state.writer == nil {
        state.writer = loop.watch(descriptor: state.descriptor, for: .writing) { _ in
          self.state.withLock { self.flush(&$0) }
        }
      }
      return
    }
    state.writer?.cancel()
    state.writer = nil
    if state.isClosing { Self.end(&state) }
  }

  private static func end(_ state: inout State) {
    guard state.descriptor >= 0 else { return }
    state.reader?.cancel()
    state.writer?.cancel()
    state.reader = nil
    state.writer = nil
    Glibc.close(state.descriptor)
    state.descriptor = -1
  }
}

/// The process at the other end of a Unix socket.
package struct PeerProcess: Hashable, Sendable {
  package let process: pid_t
  package let user: uid_t

  /// SO_PEERCRED gives a `struct ucred`, which the headers keep from us: three numbers of 32 bits.
  init?(of descriptor: CInt) {
    var credentials: [UInt32] = [0, 0, 0]
    var size = socklen_t(MemoryLayout<UInt32>.stride * credentials.count)
    guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
    process = pid_t(bitPattern: credentials[0])
    user = credentials[1]
  }
}
