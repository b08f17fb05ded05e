import Synchronization

/// An end of a stream inside this process.
package final class MemoryStream: ByteStream {
  /// The maximum number of bytes that wait for the reader.
  private static let capacity = 1 << 16

  private final class Pair: Sendable {
    let loop: any ActorLoop
    let sides = Mutex((Side(), Side()))

    init(loop: any ActorLoop) { self.loop = loop }
  }

  private struct Side {
    /// The bytes that the other side has sent and this side has not read.
    var input: [UInt8] = []
    var isClosed = false
    var wait: (readiness: Readiness, body: @Sendable () -> Void)?

    /// Whether what this side waits for has happened.
    func isReady(_ other: Side) -> Bool {
      guard let wait else { return false }
      return other.isClosed || wait.readiness.contains(.reading) && !input.isEmpty
        || wait.readiness.contains(.writing) && other.input.count < MemoryStream.capacity
    }
  }

  private let pair: Pair
  private let isFirst: Bool

  private init(_ pair: Pair, isFirst: Bool) { (self.pair, self.isFirst) = (pair, isFirst) }

  deinit { close() }

  /// Both ends of a new stream.
  package static func pair(on loop: any ActorLoop) -> (MemoryStream, MemoryStream) {
    let pair = Pair(loop: loop)
    return (MemoryStream(pair, isFirst: true), MemoryStream(pair, isFirst: false))
  }

  package func read(upTo limit: Int) -> [UInt8]? {
    change { own, other in
      guard !own.input.isEmpty else { return other.isClosed || own.isClosed ? nil : [] }
      let bytes = Array(own.input.prefix(limit))
      own.input.removeFirst(bytes.count)
      return bytes
    }
  }

  package func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    change { own, other in
      guard !own.isClosed, !other.isClosed else { return nil }
      let accepted = bytes.prefix(max(0, Self.capacity - other.input.count))
      other.input += accepted
      return accepted.count
    }
  }

  package func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void) {
    change { own, _ in own.wait = readiness.isEmpty ? nil : (readiness, body) }
  }

  package func close() {
    change { own, _ in (own.isClosed, own.wait, own.input) = (true, nil, []) }
  }

  /// Changes the stream, and wakes those who wait for the change.
  private func change<Value: Sendable>(_ body: (inout Side, inout Side) -> sending Value) -> Value {
    let (value, woken) = pair.sides.withLock { sides in
      let value = isFirst ? body(&sides.0, &sides.1) : body(&sides.1, &sides.0)
      var woken: [@Sendable () -> Void] = []
      if sides.0.isReady(sides.1), let wait = sides.0.wait {
        woken.append(wait.body)
        sides.0.wait = nil
      }
      if sides.1.isReady(sides.0), let wait = sides.1.wait {
        woken.append(wait.body)
        sides.1.wait = nil
      }
      return (value, woken)
    }
    for body in woken { Task(executorPreference: pair.loop.tasks) { body() } }
    return value
  }
}
