import BleperaLoop

/// The buffers of a channel: bytes received and not yet read, and bytes written and not yet sent.
final class ChannelBuffer: @unchecked Sendable {  // `condition` guards all mutable properties
  /// The size of the buffer in each direction, in bytes.
  private static let limit = 1 << 14

  private let stream: any ByteStream
  private let condition = NSCondition()
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var hasEnded = false
  /// Whether the other side receives no more; bytes that it has sent may still arrive.
  private var isOutputDead = false
  /// Whether the writer waits for room.
  private var wantsRoom = false
  private var closed = (input: false, output: false)
  /// Called after a change, on any thread.
  private var inputChanged: (@Sendable () -> Void)?
  private var outputChanged: (@Sendable () -> Void)?

  init(_ stream: any ByteStream) {
    self.stream = stream
    transfer()
  }

  deinit { stream.close() }

  /// Moves bytes as far as possible, and waits for the next opportunity.
  private func transfer() {
    let callbacks = condition.withLock { () -> [@Sendable () -> Void] in
      if !hasEnded, input.count < Self.limit {
        let bytes = stream.read(upTo: Self.limit - input.count)
        input += bytes ?? []
        hasEnded = bytes == nil
      }
      if !output.isEmpty {
        let count = stream.write(output[...])
        output.removeFirst(count ?? output.count)
        isOutputDead = count == nil
      }
      condition.broadcast()
      var readiness: Readiness = []
      if !hasEnded, input.count < Self.limit { readiness.insert(.reading) }
      if !output.isEmpty { readiness.insert(.writing) }
      if closed.input, closed.output, output.isEmpty {
        stream.close()
        readiness = []
      }
      // Written bytes are still sent after the channel was deallocated.
      let rest = readiness.contains(.writing) ? self : nil
      // The lock is held, because this wait replaces the wait of any other thread, which must not be newer.
      stream.wait(for: readiness) { [weak self] in
        self?.transfer()
        _ = rest
      }
      let hasRoom = wantsRoom && !hasEnded && !isOutputDead && output.count < Self.limit
      if hasRoom { wantsRoom = false }
      return [inputChanged, hasRoom ? outputChanged : nil].compactMap(\.self)
    }
    for callback in callbacks { callback() }
  }

  var isReadable: Bool { condition.withLock { !input.isEmpty } }
  var isWritable: Bool { condition.withLock { !hasEnded && !isOutputDead && output.count < Self.limit } }
  var isAtEnd: Bool { condition.withLock { hasEnded && input.isEmpty } }

  /// Waits for bytes and returns them; empty at the end of the channel.
  func read(upTo count: Int) -> [UInt8] {
    let bytes = condition.withLock { () -> [UInt8] in
      while input.isEmpty, !hasEnded, !closed.input { condition.wait() }
      let bytes = Array(input.prefix(count))
      input.removeFirst(bytes.count)
      return bytes
    }
    transfer()
    return bytes
  }

  /// Waits for room and returns the number of bytes taken; -1 at the end of the channel.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    let count = condition.withLock { () -> Int in
      while output.count >= Self.limit, !hasEnded, !isOutputDead, !closed.output { condition.wait() }
      guard !hasEnded, !isOutputDead, !closed.output else { return -1 }
      wantsRoom = true
      let taken = unsafe bytes.prefix(Self.limit - output.count)
      unsafe output.append(contentsOf: taken)
      return unsafe taken.count
    }
    transfer()
    return count
  }

  func observeInput(_ body: (@Sendable () -> Void)?) { condition.withLock { inputChanged = body } }
  func observeOutput(_ body: (@Sendable () -> Void)?) { condition.withLock { outputChanged = body } }

  func closeInput() {
    condition.withLock { (closed.input, inputChanged) = (true, nil) }
    transfer()
  }

  func closeOutput() {
    condition.withLock { (closed.output, outputChanged) = (true, nil) }
    transfer()
  }
}
