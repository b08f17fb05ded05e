import BleperaAppLink

/// Sends the events of a stream to its delegate, one at a time, on the run loop where the app has scheduled the stream.
private final class StreamEvents: @unchecked Sendable {  // `lock` guards all mutable properties
  private weak var stream: Stream?
  private let port: any AppPort
  private let lock = NSLock()
  private weak var delegate: (any StreamDelegate)?
  private var loop: (RunLoop, RunLoop.Mode)?
  private var storedStatus = Stream.Status.notOpen
  private var hasSentEnd = false

  init(_ port: any AppPort) { self.port = port }

  func attach(_ stream: Stream) { self.stream = stream }

  var status: Stream.Status {
    get { lock.withLock { storedStatus } }
    set { lock.withLock { storedStatus = newValue } }
  }

  var receiver: (any StreamDelegate)? {
    get { lock.withLock { delegate } }
    set { lock.withLock { delegate = newValue } }
  }

  func schedule(_ loop: RunLoop, _ mode: RunLoop.Mode) { lock.withLock { self.loop = (loop, mode) } }
  func unschedule() { lock.withLock { loop = nil } }

  /// Sends the end of the stream, the first time.
  func sendEnd() {
    let isFirst = lock.withLock {
      defer { hasSentEnd = true }
      return !hasSentEnd
    }
    if isFirst { send(.endEncountered) }
  }

  /// - Parameter isCurrent: Whether the event still holds when it is sent.
  func send(_ event: Stream.Event, if isCurrent: @escaping @Sendable () -> Bool = { true }) {
    guard let (loop, mode) = lock.withLock({ loop }) else { return }
    let body = { @Sendable [self] in
      guard status != .closed, isCurrent(), let stream, let delegate = receiver else { return }
      delegate.stream(stream, handle: event)
    }
    if loop === RunLoop.main {
      port.call(on: .main, body)
    } else {
      // Unlike `perform`, a timer wakes the run loop.
      loop.add(Timer(timeInterval: 0, repeats: false) { _ in body() }, forMode: mode)
    }
  }
}

/// The input of a channel.
final class ChannelInputStream: InputStream {
  private let buffer: ChannelBuffer
  private let events: StreamEvents

  init(_ buffer: ChannelBuffer, _ port: any AppPort) {
    (self.buffer, events) = (buffer, StreamEvents(port))
    super.init(data: Data())
    events.attach(self)
  }

  override var delegate: (any StreamDelegate)? {
    get { events.receiver }
    set { events.receiver = newValue }
  }

  override var streamStatus: Stream.Status {
    let status = events.status
    return status == .open && buffer.isAtEnd ? .atEnd : status
  }

  override var streamError: (any Error)? { nil }
  override var hasBytesAvailable: Bool { buffer.isReadable }

  override func open() {
    guard events.status == .notOpen else { return }
    events.status = .open
    events.send(.openCompleted)
    buffer.observeInput { [events, weak buffer] in
      guard let buffer else { return }
      if buffer.isReadable { events.send(.hasBytesAvailable) { buffer.isReadable } }
      if buffer.isAtEnd { events.sendEnd() }
    }
    if buffer.isAtEnd { events.sendEnd() }
    if buffer.isReadable { events.send(.hasBytesAvailable) { [buffer] in buffer.isReadable } }
  }

  override func close() {
    events.status = .closed
    buffer.closeInput()
  }

  override func read(_ bytes: UnsafeMutablePointer<UInt8>, maxLength count: Int) -> Int {
    guard events.status == .open, count > 0 else { return -1 }
    let read = buffer.read(upTo: count)
    for (index, byte) in read.enumerated() { unsafe bytes[index] = byte }
    return read.count
  }

  override func getBuffer(
    _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool {
    false
  }

  override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) { events.schedule(loop, mode) }
  override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) { events.unschedule() }
}

/// The output of a channel.
final class ChannelOutputStream: OutputStream {
  private let buffer: ChannelBuffer
  private let events: StreamEvents

  init(_ buffer: ChannelBuffer, _ port: any AppPort) {
    (self.buffer, events) = (buffer, StreamEvents(port))
    super.init(toMemory: ())
    events.attach(self)
  }

  required init(toMemory: ()) { preconditionFailure("only a channel makes its streams") }

  override var delegate: (any StreamDelegate)? {
    get { events.receiver }
    set { events.receiver = newValue }
  }

  override var streamStatus: Stream.Status { events.status }
  override var streamError: (any Error)? { nil }
  override var hasSpaceAvailable: Bool { buffer.isWritable }

  override func open() {
    guard events.status == .notOpen else { return }
    events.status = .open
    events.send(.openCompleted)
    buffer.observeOutput { [events, weak buffer] in
      if buffer?.isWritable == true { events.send(.hasSpaceAvailable) }
    }
    events.send(.hasSpaceAvailable) { [buffer] in buffer.isWritable }
  }

  override func close() {
    events.status = .closed
    buffer.closeOutput()
  }

  override func write(_ bytes: UnsafePointer<UInt8>, maxLength count: Int) -> Int {
    guard events.status == .open else { return -1 }
    return unsafe buffer.write(UnsafeBufferPointer(start: bytes, count: count))
  }

  override func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) { events.schedule(loop, mode) }
  override func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) { events.unschedule() }
}
