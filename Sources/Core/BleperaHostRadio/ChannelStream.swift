package import BleperaHost
package import BleperaLoop

/// An end of an L2CAP channel. All calls are on the adapter's loop.
package actor ChannelStream: ByteStream {
  private nonisolated let adapter: any HostedAdapter
  package nonisolated let end: ChannelEnd
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe adapter.loop.asUnownedSerialExecutor() }

  private var wait: (readiness: Readiness, body: @Sendable () -> Void)?

  package init(of adapter: any HostedAdapter, _ end: ChannelEnd) {
    (self.adapter, self.end) = (adapter, end)
    adapter.attach(self, to: end)
  }

  package nonisolated func read(upTo limit: Int) -> [UInt8]? {
    guard let bytes = adapter.withHost({ $0.channelInput(end, upTo: limit) }) ?? nil else { return nil }
    if !bytes.isEmpty { adapter.run(.readChannel(end, count: bytes.count)) }
    return bytes
  }

  package nonisolated func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let room = adapter.withHost({ $0.channelRoom(end) }) ?? nil else { return nil }
    let accepted = Array(bytes.prefix(room))
    if !accepted.isEmpty { adapter.run(.writeChannel(end, accepted)) }
    return accepted.count
  }

  package nonisolated func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void) {
    assumeIsolated { this in
      this.wait = readiness.isEmpty ? nil : (readiness, body)
      this.changed()
    }
  }

  package nonisolated func close() {
    assumeIsolated { $0.wait = nil }
    adapter.run(.closeChannel(end))
  }

  /// The channel may be ready for what the stream waits for.
  package func changed() {
    guard let wait else { return }
    let isReady =
      adapter.withHost { host in
        guard let input = host.channelInput(end, upTo: 1), let room = host.channelRoom(end) else { return true }
        return wait.readiness.contains(.reading) && !input.isEmpty || wait.readiness.contains(.writing) && room > 0
      } ?? true
    guard isReady else { return }
    self.wait = nil
    Task(executorPreference: adapter.loop.tasks) { wait.body() }
  }
}
