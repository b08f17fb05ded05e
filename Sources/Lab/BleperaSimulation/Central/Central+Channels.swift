import BleperaBluetooth
import BleperaLoop

extension Central {
  /// Opens an L2CAP channel, on the virtual radio only.
  ///
  /// - Parameter psm: The number that the phone has published, which is in no advertisement.
  ///
  /// - Throws: `StoryFailure.noChannel`, `notPaired` if the channel requires encryption, `notConnected`, `linkLost` or
  ///   `timedOut`.
  public func openChannel(_ psm: UInt16) async throws(StoryFailure) -> Channel {
    let stream = try await use { (radio, phone) async throws(StoryFailure) in
      try await radio.openChannel(L2CAPPSM(rawValue: psm), of: phone)
    }
    air.note(name, "opens the channel \(psm)")
    return Channel(stream, of: self)
  }

  /// An L2CAP channel of a central.
  public final class Channel: Sendable {
    /// How long a central waits before it looks at the channel again.
    private static let pause = Duration.milliseconds(1)

    private let stream: any ByteStream
    private let central: Central

    fileprivate init(_ stream: any ByteStream, of central: Central) { (self.stream, self.central) = (stream, central) }

    /// Sends all bytes; waits while the phone's app reads nothing.
    ///
    /// - Throws: `StoryFailure.linkLost` if the channel has ended, or `timedOut`.
    public func send(_ bytes: [UInt8], within limit: Duration = .seconds(60)) async throws(StoryFailure) {
      _ = try await exchange(bytes, receiving: 0, within: limit)
    }

    /// Receives that many bytes, or fewer if the channel ends before.
    ///
    /// - Throws: `StoryFailure.timedOut`.
    public func receive(_ count: Int, within limit: Duration = .seconds(60)) async throws(StoryFailure) -> [UInt8] {
      try await exchange([], receiving: count, within: limit)
    }

    /// Sends all bytes and receives as many at the same time, as does an app that sends more than may wait on the way.
    ///
    /// - Throws: `StoryFailure.linkLost` if the channel has ended before all is sent, or `timedOut`.
    public func exchange(
      _ bytes: [UInt8], receiving count: Int, within limit: Duration = .seconds(60)
    ) async throws(StoryFailure) -> [UInt8] {
      try await central.air.finish(within: limit) { [self] in
        var rest = bytes[...]
        var received: [UInt8] = []
        var hasEnded = false
        while !rest.isEmpty || received.count < count && !hasEnded {
          let (part, missing) = (rest, count - received.count)
          let (sent, input) = await onLoop { stream in
            (part.isEmpty ? 0 : stream.write(part), missing > 0 ? stream.read(upTo: missing) : [])
          }
          guard let sent else { throw StoryFailure.linkLost }
          rest = rest.dropFirst(sent)
          received += input ?? []
          hasEnded = input == nil
          if sent == 0, input?.isEmpty == true { try await central.air.loop.sleep(for: Self.pause) }
        }
        return received
      }
    }

    /// Closes the channel; what was sent still arrives.
    public func close() async {
      _ = try? await central.air.finish(within: .seconds(1)) { [self] in await onLoop { $0.close() } }
    }

    private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (any ByteStream) -> Value) async -> Value {
      let stream = stream
      guard let radio = central.radio else { return body(stream) }
      return await radio.with { body(stream) }
    }
  }
}

extension CentralRadio {
  /// Runs `body` on the loop.
  fileprivate func with<Value: Sendable>(_ body: @Sendable () -> Value) -> Value { body() }
}
