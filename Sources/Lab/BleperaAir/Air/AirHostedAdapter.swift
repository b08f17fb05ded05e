package import BleperaBluetooth
package import BleperaHost
package import BleperaHostRadio
package import BleperaLoop

/// An adapter of a virtual air with its host, for a phone's radio.
package final class AirHostedAdapter: HostedAdapter {
  private let air: SharedAir
  private let id: AdapterID

  init(_ air: SharedAir, _ id: AdapterID) { (self.air, self.id) = (air, id) }

  package var loop: any ActorLoop { air.loop }
  package var name: String { id.description }
  package let latency = Duration.milliseconds(1)

  package var state: AdapterState? {
    air.assumeIsolated { [id] air in
      air.air.adapters[id].map { adapter in
        AdapterState(
          isPowered: adapter.isPowered, identity: adapter.identity, privacy: adapter.privacy,
          connecting: adapter.connecting)
      }
    }
  }

  package var advertised: [AdvertisingPackets] { air.assumeIsolated { [id] in $0.advertised(by: id) } }
  package var openChannelEnds: [ChannelEnd] { air.assumeIsolated { [id] in $0.openChannelEnds(of: id) } }

  package func withHost<Value: Sendable>(_ body: @Sendable (HostStack) -> Value) -> Value? {
    air.assumeIsolated { [id] in $0.air.hosts[id].map(body) }
  }

  package func run(_ request: AdapterRequest) { air.assumeIsolated { [id] in $0.run(AirEvent(request, to: id)) } }

  package func operate(
    _ request: @Sendable (OperationID) -> AdapterRequest, _ completion: @escaping HostUses.Completion
  ) {
    air.assumeIsolated { [id] in $0.operate(for: id, { AirEvent(request($0), to: id) }, completion) }
  }

  package func newNumber() -> Int { air.assumeIsolated { $0.newNumber() } }
  package func attach(_ user: (any AdapterUser)?) { air.assumeIsolated { [id] in $0.attach(user, to: id) } }

  package func attach(_ stream: ChannelStream, to end: ChannelEnd) {
    air.assumeIsolated { [id] in $0.attach(stream, to: end, of: id) }
  }

  package func passkey(shownOver link: ConnectionID) -> UInt32? {
    air.assumeIsolated { $0.air.passkey(shownOver: link) }
  }

  package func setPresent(_ isPresent: Bool) { air.assumeIsolated { [id] in $0.setPresent(isPresent, id) } }
}

extension AirEvent {
  fileprivate init(_ request: AdapterRequest, to adapter: AdapterID) {
    self =
      switch request {
      case .linkLayer(let request): .linkLayer(adapter, request)
      case .host(let request): .host(adapter, request)
      }
  }
}
