package import BleperaBluetooth
package import BleperaHost
import BleperaHostRadio
package import BleperaLoop

/// A central on a virtual air, which scans, connects and uses services. A link keeps the address with which it began.
package actor VirtualCentral: AirParticipant {
  package nonisolated let air: SharedAir
  package nonisolated let adapter: AdapterID
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe air.loop.asUnownedSerialExecutor() }

  /// Reported on the air's loop, in order.
  package enum Event: Hashable, Sendable {
    case received(AdvertisementReport)
    case connected(DeviceAddress)
    case disconnected(DeviceAddress)
    /// The device's services have been discovered, or discovered again.
    case services(DeviceAddress)
    case value(DeviceAddress, AttributeHandle, [UInt8])
  }

  private let report: @Sendable (Event) -> Void
  /// The passkey that a host outside the air shows, which the central's user reads.
  private let shownPasskey: @Sendable () -> UInt32?
  private var links: [DeviceAddress: ConnectionID] = [:]
  private var wanted: Set<DeviceAddress> = []

  package init(
    air: SharedAir, adapter: AdapterID, shownPasskey: @escaping @Sendable () -> UInt32? = { nil },
    report: @escaping @Sendable (Event) -> Void
  ) {
    self.air = air
    self.adapter = adapter
    self.shownPasskey = shownPasskey
    self.report = report
  }

  /// Starts to report events.
  package func start() { air.assumeIsolated { $0.attach(self, to: adapter) } }

  /// Starts a scan; nil ends the scan.
  package func scan(_ window: ScanWindow?) { run(.linkLayer(adapter, .scan(window))) }

  /// Connects at the device's next connectable advertisement, without a timeout.
  package func connect(to address: DeviceAddress) {
    guard links[address] == nil, wanted.insert(address).inserted else { return }
    run(.linkLayer(adapter, .connect(address)))
  }

  package func disconnect(from address: DeviceAddress) {
    if wanted.remove(address) != nil { run(.linkLayer(adapter, .cancelConnect(address))) }
    if let link = links[address] { run(.host(adapter, .disconnect(link))) }
  }

  package func isConnected(to address: DeviceAddress) -> Bool { links[address] != nil }

  /// The discovered services; empty before discovery.
  package func services(of address: DeviceAddress) -> [RemoteService] {
    hostLink(address)?.services ?? []
  }

  /// The ATT_MTU of the link, in bytes; nil without a link.
  package func mtu(of address: DeviceAddress) -> Int? {
    hostLink(address)?.mtu
  }

  private func hostLink(_ address: DeviceAddress) -> HostLink? {
    links[address].flatMap { link in air.assumeIsolated { [adapter] in $0.air.hosts[adapter]?.links[link] } }
  }

  package func perform(
    _ operation: GATTProcedure, at address: DeviceAddress
  ) async throws(ProcedureFailure) -> [UInt8] {
    guard let link = links[address] else { throw .notConnected }
    let result = await withCheckedContinuation { continuation in
      operate({ .perform($0, link, operation) }, { continuation.resume(returning: $0) })
    }
    return try result.get().bytes
  }

  package func pair(with address: DeviceAddress) async throws(ProcedureFailure) {
    guard let link = links[address] else { throw .notConnected }
    let result = await withCheckedContinuation { continuation in
      operate({ .pair(link, $0) }, { continuation.resume(returning: $0) })
    }
    _ = try result.get()
  }

  /// Opens an L2CAP channel, which the phone has published with that number.
  package func openChannel(_ psm: L2CAPPSM, at address: DeviceAddress) async throws(ProcedureFailure) -> any ByteStream
  {
    guard let link = links[address] else { throw .notConnected }
    let result = await withCheckedContinuation { continuation in
      operate({ .openChannel($0, link, psm) }, { continuation.resume(returning: $0) })
    }
    return ChannelStream(of: air.hosted(adapter), ChannelEnd(link, LittleEndian.number(try result.get().bytes)))
  }

  private func address(of link: ConnectionID) -> DeviceAddress? { links.first { $0.value == link }?.key }

  private func operate(_ request: @Sendable (OperationID) -> HostRequest, _ completion: @escaping HostUses.Completion) {
    air.assumeIsolated { [adapter] in $0.operate(for: adapter, { .host(adapter, request($0)) }, completion) }
  }

  private func run(_ event: AirEvent) { air.assumeIsolated { $0.run(event) } }

  package nonisolated func receive(_ action: AirAction) { assumeIsolated { $0.take(action) } }

  private func take(_ action: AirAction) {
    switch action {
    case .linkLayer(_, let event): take(event)
    case .host(_, let action): take(action)
    }
  }

  private func take(_ event: LinkLayerEvent) {
    switch event {
    case .received(let advertisement): report(.received(advertisement))
    case .connected(let id, let opening):
      guard opening.isCentral else { return }
      links[opening.wanted] = id
      wanted.remove(opening.wanted)
      report(.connected(opening.wanted))
    case .poweredOff, .removed, .added, .connectFailed, .advertising, .advertisementRefused, .advertisementReleased,
      .rssi,
      .link:
      break
    }
  }

  private func take(_ action: HostAction) {
    switch action {
    case .disconnected(let id, _):
      guard let address = address(of: id) else { return }
      links[address] = nil
      report(.disconnected(address))
    case .servicesResolved(let id), .servicesChanged(let id, _):
      if let address = address(of: id) { report(.services(address)) }
    case .valueChanged(let id, let handle, let value):
      if let address = address(of: id) { report(.value(address, handle, value)) }
    // The central's user accepts, and types the passkey that the peer shows.
    case .pairingRequest(let id, let question):
      switch question {
      case .show: break
      case .authorize, .compare: run(.host(adapter, .respondToPairing(id, .yes)))
      case .type:
        let passkey = air.assumeIsolated { $0.air.passkey(shownOver: id) } ?? shownPasskey()
        run(.host(adapter, .respondToPairing(id, passkey.map { .passkey($0) } ?? .no)))
      }
    case .pairingCancelled, .paired, .keyUnknown, .secured, .published, .publicationRefused, .read, .write,
      .preparedWrite,
      .subscribed, .unsubscribed, .confirmed, .completed, .channelOpened, .channelChanged, .mtuChanged:
      break
    }
  }
}
