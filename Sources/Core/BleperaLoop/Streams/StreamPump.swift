/// Copies bytes between streams until one of them ends, then closes them.
package actor StreamPump {
  /// The bytes that have been copied from the first stream, and to it.
  package struct Counts: Hashable, Sendable {
    package var fromFirst = 0
    package var toFirst = 0

    package init(fromFirst: Int = 0, toFirst: Int = 0) { (self.fromFirst, self.toFirst) = (fromFirst, toFirst) }
  }

  private struct Direction {
    let source: any ByteStream
    let target: any ByteStream
    /// Bytes that have been read and not written.
    var pending: ArraySlice<UInt8> = []
    var count = 0
    /// Whether the target accepts nothing anymore.
    var isDead = false
  }

  /// How much is read at once, in bytes.
  private static let chunk = 1 << 14
  /// The number of rounds that a direction gets before anything else on the loop is served.
  private static let rounds = 16

  private nonisolated let loop: any ActorLoop
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  private var directions: [Direction]
  private let streams: [any ByteStream]
  private var isPaused: Bool
  private var hasEnded = false
  private let ended: @Sendable (Counts) -> Void

  /// Copies in both directions.
  ///
  /// - Parameter ended: called on the loop when both streams are closed.
  package init(
    loop: any ActorLoop, _ first: any ByteStream, _ second: any ByteStream, isPaused: Bool = false,
    ended: @escaping @Sendable (Counts) -> Void
  ) {
    (self.loop, self.isPaused, self.ended) = (loop, isPaused, ended)
    directions = [Direction(source: first, target: second), Direction(source: second, target: first)]
    streams = [first, second]
  }

  /// Sends the bytes of the stream back.
  package init(loop: any ActorLoop, echoing stream: any ByteStream) {
    (self.loop, isPaused, ended) = (loop, false, { _ in })
    directions = [Direction(source: stream, target: stream)]
    streams = [stream]
  }

  package var counts: Counts { Counts(fromFirst: directions[0].count, toFirst: directions.last?.count ?? 0) }

  /// Starts to copy in a later turn of the loop.
  package func start() { Task(executorPreference: loop.tasks) { await self.run() } }

  /// Copies nothing until `resume`: arriving bytes wait at their sender.
  package func pause() {
    isPaused = true
    for stream in streams { stream.wait(for: []) {} }
  }

  package func resume() {
    guard isPaused else { return }
    isPaused = false
    start()
  }

  package func close() {
    guard !hasEnded else { return }
    hasEnded = true
    for stream in streams { stream.wait(for: []) {} }
    for stream in streams { stream.close() }
    ended(counts)
  }

  private func run() {
    for index in directions.indices { serve(index) }
    guard !hasEnded, !isPaused else { return }
    for stream in streams { awaitProgress(of: stream) }
  }

  private func serve(_ index: Int) {
    // A call of a stream may end or pause the pump.
    for _ in 0..<Self.rounds where !hasEnded && !isPaused && !directions[index].isDead {
      let direction = directions[index]
      if direction.pending.isEmpty {
        guard let bytes = direction.source.read(upTo: Self.chunk) else { return close() }
        guard !bytes.isEmpty else { return }
        directions[index].pending = bytes[...]
      }
      let pending = directions[index].pending
      guard let count = direction.target.write(pending) else {
        // Bytes that the target has sent before it closed are still read.
        guard directions.count > 1 else { return close() }
        return directions[index].isDead = true
      }
      guard count > 0 else { return }
      directions[index].pending = pending.dropFirst(count)
      directions[index].count += count
    }
  }

  private func awaitProgress(of stream: any ByteStream) {
    var readiness: Readiness = []
    for direction in directions where !direction.isDead {
      if direction.source === stream, direction.pending.isEmpty { readiness.insert(.reading) }
      if direction.target === stream, !direction.pending.isEmpty { readiness.insert(.writing) }
    }
    // The wait retains the pump.
    stream.wait(for: readiness) { self.assumeIsolated { $0.run() } }
  }
}
