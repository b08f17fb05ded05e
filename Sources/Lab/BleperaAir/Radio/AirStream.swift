package import BleperaHost
package import BleperaLoop

/// An end of an L2CAP channel on a virtual air. All calls are on the air's loop.
package actor AirStream: ByteStream {
  private nonisolated let air: SharedAir
  package nonisolated let adapter: AdapterID
  package nonisolated let end: ChannelEnd
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe air.loop.asUnownedSerialExecutor() }

  private var wait: (readiness: Readiness, body: @Sendable () -> Void)?

  package init(air: SharedAir, adapter: AdapterID, end: ChannelEnd) {
    (self.air, self.adapter, self.end) = (air, adapter, end)
    air.assumeIsolated { $0.attach(self, to: end, of: adapter) }
  }

  package nonisolated func read(upTo limit: Int) -> [UInt8]? {
    air.assumeIsolated { air in
      guard let bytes = air.air.channelInput(end, of: adapter, upTo: limit) else { return nil }
      if !bytes.isEmpty { air.run(.host(adapter, .readChannel(end, count: bytes.count))) }
      return bytes
    }
  }

  package nonisolated func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    air.assumeIsolated { air in
      guard let room = air.air.channelRoom(end, of: adapter) else { return nil }
      let accepted = Array(bytes.prefix(room))
      if !accepted.isEmpty { air.run(.host(adapter, .writeChannel(end, accepted))) }
      return accepted.count
    }
  }

  package nonisolated func wait(for readiness: Readiness, _ body: @escaping @Sendable () -> Void) {
    assumeIsolated { this in
      this.wait = readiness.isEmpty ? nil : (readiness, body)
      this.changed()
    }
  }

  package nonisolated func close() {
    assumeIsolated { $0.wait = nil }
    air.assumeIsolated { $0.run(.host(adapter, .closeChannel(end))) }
  }

  /// The channel may be ready for what the stream waits for.
  func changed() {
    guard let wait else { return }
    let isReady = air.assumeIsolated { [adapter, end] air in
      guard let input = air.air.channelInput(end, of: adapter, upTo: 1),
        let room = air.air.channelRoom(end, of: adapter)
      else { return true }
      return wait.readiness.contains(.reading) && !input.isEmpty || wait.readiness.contains(.writing) && room > 0
    }
    guard isReady else { return }
    self.wait = nil
    Task(executorPreference: air.loop.tasks) { wait.body() }
  }
}
