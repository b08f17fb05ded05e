import Glibc
import Synchronization

/// Reading: a limited number of lines is delivered in each turn of the loop, until the socket is paused or closed.
extension LineSocket {
  /// Reads no lines, and delivers none, until `resume`: the other side blocks when the kernel's buffer is full. If it
  /// closes the socket meanwhile, the handler receives `ended`, and its lines are lost.
  package func pause() {
    state.withLock { state in
      guard state.descriptor >= 0, !state.isClosing, !state.hasEnded, !state.isPaused else { return }
      state.isPaused = true
      state.nextDelivery?.cancel()
      state.reader?.cancel()
      state.nextDelivery = nil
      state.reader = loop.watch(descriptor: state.descriptor, for: .hangUp) { [weak self] _ in
        self?.endReading(.ended)
      }
    }
  }

  package func resume() {
    state.withLock { state in
      guard state.descriptor >= 0, !state.isClosing, !state.hasEnded, state.isPaused else { return }
      state.isPaused = false
      state.reader?.cancel()
      state.reader = loop.watch(descriptor: state.descriptor, for: .reading) { [weak self] _ in self?.receive() }
      state.nextDelivery = loop.schedule(after: .zero) { [weak self] in self?.deliverLines() }
    }
  }

  func receive() {
    let (count, code) = state.withLock { state -> (Int, CInt) in
      guard state.descriptor >= 0, !state.isClosing, !state.isPaused, state.nextDelivery == nil else {
        return (-1, EAGAIN)
      }
      return unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
        let count =
          receivesDescriptors
          ? unsafe DescriptorMessage.receive(buffer, from: state.descriptor, &state.received)
          : unsafe read(state.descriptor, buffer.baseAddress, buffer.count)
        let code = errno
        if count > 0 { unsafe state.input.append(contentsOf: buffer[..<count]) }
        // A Unix socket is reset if it is closed with something unread, which includes the end of the last line.
        if count < 0, code == ECONNRESET { state.unreceived = max(state.unreceived, 1) }
        return (count, code)
      }
    }
    if count > 0 { return deliverLines() }
    if count < 0, code == EAGAIN || code == EINTR { return }
    endReading(.ended)
  }

  private func deliverLines() {
    state.withLock { state in
      state.nextDelivery = nil
      state.isDelivering = true
    }
    var delivered = 0
    while let (event, handler) = nextEvent(after: delivered) {
      guard case .line = event else { return endReading(event) }
      handler?(event)
      delivered += 1
    }
  }

  /// The next event; nil where the line is incomplete or is delivered in the next turn.
  private func nextEvent(after delivered: Int) -> (Event, Handler?)? {
    state.withLock { state in
      let end = state.isPaused ? nil : Self.lineFeed(in: state.input, from: state.searched)
      if let end, delivered < Self.linesInTurn {
        defer { (state.taken, state.searched) = (end + 1, end + 1) }
        return (.line(Array(state.input[state.taken..<end])), state.handler)
      }
      state.isDelivering = false
      if state.descriptor >= 0, !state.output.isEmpty { flush(&state) }
      if end != nil, state.handler != nil {
        state.nextDelivery = loop.schedule(after: .zero) { [weak self] in self?.deliverLines() }
        return nil
      }
      // Delivered lines are removed once per read.
      state.input.removeFirst(state.taken)
      Self.shrink(&state.input)
      (state.taken, state.searched) = (0, state.isPaused ? 0 : state.input.count)
      let isCounted = budget.change(.input, from: state.counted.input, to: state.input.count)
      if isCounted { state.counted.input = state.input.count }
      // A paused socket keeps less than one read has brought, so no limit applies.
      if state.isPaused { return nil }
      if state.input.count > maximumLine { return (.lineTooLong, state.handler) }
      return isCounted ? nil : (.budgetUsed, state.handler)
    }
  }

  private static func lineFeed(in bytes: [UInt8], from start: Int) -> Int? {
    unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
      guard let first = rest.baseAddress, let found = unsafe memchr(first, CInt(UInt8(ascii: "\n")), rest.count)
      else { return nil }
      return unsafe start + (UnsafeRawPointer(found) - first)
    }
  }

  private func endReading(_ event: Event) {
    let handler = state.withLock { state in
      state.reader?.cancel()
      state.hasEnded = true
      state.input = []
      (state.taken, state.searched) = (0, 0)
      _ = budget.change(.input, from: state.counted.input, to: 0)
      state.counted.input = 0
      return state.handler
    }
    handler?(event)
  }
}
