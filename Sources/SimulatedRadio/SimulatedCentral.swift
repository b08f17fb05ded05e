import EventLoop
package import GATT
package import VirtualBlueZ

/// A central on a simulated air: it scans, connects, and uses what it finds.
package actor SimulatedCentral: Station {
  package nonisolated let air: SimulatedAir
  package nonisolated let adapter: AdapterID
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe air.loop.asUnownedSerialExecutor() }

  /// Told on the air's loop, in order.
  package enum Event: Hashable, Sendable {
    case heard(AdvertisementReport)
    case connected(DeviceAddress)
    case disconnected(DeviceAddress)
    /// What services the device has is known, or known anew.
    case services(DeviceAddress)
    case value(DeviceAddress, AttributeHandle, [UInt8])
  }

  private let report: @Sendable (Event) -> Void
  private var links: [DeviceAddress: ConnectionID] = [:]
  private var wanted: Set<DeviceAddress> = []

  package init(air: SimulatedAir, adapter: AdapterID, report: @escaping @Sendable (Event) -> Void) {
    self.air = air
    self.adapter = adapter
    self.report = report
  }

  /// From then on it hears what happens to it.
  package func start() { air.assumeIsolated { $0.attach(self, to: adapter) } }

  /// Nil ends it.
  package func scan(_ window: ScanWindow?) { run(.scan(adapter, window)) }

  /// Connects when the device can next be connected to, however long that takes.
  ///
  /// - Parameter isAtOnce: whether the next advertisement of a device that can be connected to now is not waited for.
  package func connect(to address: DeviceAddress, isAtOnce: Bool = false) {
    guard links[address] == nil, wanted.insert(address).inserted else { return }
    run(isAtOnce ? .connectAtOnce(adapter, to: address) : .connect(adapter, to: address))
  }

  package func disconnect(from address: DeviceAddress) {
    if wanted.remove(address) != nil { run(.cancelConnect(adapter, to: address)) }
    if let link = links[address] { run(.disconnect(link)) }
  }

  package func isConnected(to address: DeviceAddress) -> Bool { links[address] != nil }

  /// As they are known; empty before they are.
  package func services(of address: DeviceAddress) -> [RemoteService] {
    guard let link = links[address] else { return [] }
    return air.assumeIsolated { $0.air.connections[link]?.services } ?? []
  }

  /// Of the link, in bytes; nil without one.
  package func mtu(of address: DeviceAddress) -> Int? {
    links[address].flatMap { link in air.assumeIsolated { $0.air.connections[link]?.mtu } }
  }

  package func perform(
    _ operation: ClientOperation, at address: DeviceAddress
  ) async throws(ClientFailure) -> [UInt8] {
    guard let link = links[address] else { throw .notConnected }
    let result = await withCheckedContinuation { continuation in
      air.assumeIsolated { air in
        air.operate({ .perform($0, link, operation) }, { continuation.resume(returning: $0) })
      }
    }
    return try result.get()
  }

  package func pair(with address: DeviceAddress) async throws(ClientFailure) {
    guard let link = links[address] else { throw .notConnected }
    let result = await withCheckedContinuation { continuation in
      air.assumeIsolated { [adapter] air in
        air.operate({ .pair(link, $0, by: adapter) }, { continuation.resume(returning: $0) })
      }
    }
    _ = try result.get()
  }

  private func run(_ event: AirEvent) { air.assumeIsolated { $0.run(event) } }

  nonisolated func hear(_ action: AirAction) { assumeIsolated { $0.take(action) } }

  private func take(_ action: AirAction) {
    switch action {
    case .heard(_, let advertisement): report(.heard(advertisement))
    case .connected(let id, let central, let peripheral):
      guard central == adapter, let address = air.assumeIsolated({ $0.address(of: peripheral) }) else { return }
      links[address] = id
      wanted.remove(address)
      report(.connected(address))
    // iOS has no time limit for this.
    case .connectFailed(_, let address):
      let isPowered = air.assumeIsolated { [adapter] in $0.air.adapters[adapter]?.isPowered } ?? false
      if isPowered, wanted.contains(address) { run(.connect(adapter, to: address)) }
    case .disconnected(let id, _, _):
      guard let address = links.first(where: { $0.value == id })?.key else { return }
      links[address] = nil
      report(.disconnected(address))
    case .servicesResolved(let id), .servicesChanged(let id):
      if let address = links.first(where: { $0.value == id })?.key { report(.services(address)) }
    case .valueChanged(let id, let handle, let value):
      if let address = links.first(where: { $0.value == id })?.key { report(.value(address, handle, value)) }
    // Just works on this side too.
    case .pairingQuestion(let id, _, let question):
      if case .show = question { return }
      run(.answerPairing(id, adapter, .yes))
    case .poweredOff, .advertising, .advertisementRefused, .advertisementReleased, .pairingCancelled, .paired,
      .published, .publicationRefused, .read, .write, .subscribed, .unsubscribed, .confirmed, .completed:
      break
    }
  }
}
