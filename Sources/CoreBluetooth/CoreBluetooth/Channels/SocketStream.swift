import BleperaLoop
import Glibc

/// A stream over a socket that waits on its own queue, for processes without blepera's event loop.
final class SocketStream: ByteStream, @unchecked Sendable {  // `lock` guards the mutable properties
  private let descriptor: CInt
  private let queue = DispatchQueue(label: "CBL2CAPChannel")
  private let lock = NSLock()
  private var sources: [any DispatchSourceProtocol] = []
  /// The number of the present wait.
  private var turn = 0
  private var isClosed = false

  /// Takes ownership of the socket.
  init(_ descriptor: CInt) { self.descriptor = descriptor }

  deinit { close() }

  func read(upTo limit: Int) -> [UInt8]? {
    lock.withLock { () -> [UInt8]? in
      guard !isClosed else { return nil }
      return unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
        let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
        if count > 0 { return unsafe Array(buffer[..<count]) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? [] : nil
      }
    }
  }

  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    lock.withLock { () -> Int? in
      guard !isClosed else { return nil }
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
      if count >= 0 { return count }
      return errno == EAGAIN || errno == EINTR ? 0 : nil
    }
  }

  func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void) {
    lock.withLock {
      endWait()
      guard !isClosed else { return }
      if readiness.contains(.reading) {
        sources.append(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue))
      }
      if readiness.contains(.writing) {
        sources.append(DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue))
      }
      let turn = turn
      for source in sources {
        source.setEventHandler { [weak self] in
          if self?.endWait(turn) == true { body() }
        }
        source.activate()
      }
    }
  }

  private func endWait(_ turn: Int) -> Bool {
    lock.withLock {
      guard turn == self.turn else { return false }
      endWait()
      return true
    }
  }

  private func endWait() {
    turn += 1
    for source in sources { source.cancel() }
    sources = []
  }

  func close() {
    lock.withLock {
      guard !isClosed else { return }
      isClosed = true
      // Sources may still look at the descriptor until their cancellation is over.
      shutdown(descriptor, CInt(SHUT_RDWR))
      endWait()
      queue.async { [descriptor] in Glibc.close(descriptor) }
    }
  }
}
