package import BleperaBluetooth
import BleperaHost
package import BleperaRadio

/// Subscriptions of bonded centrals, which outlast a connection and, with the phone's identity, the phone's process.
extension HostRadio {
  package func retainedSubscribers(of characteristic: AttributeHandle) -> [RadioCentral] {
    let present = subscriptions.subscribers(of: characteristic)
    let away = links.retainedSubscribers(of: characteristic).filter { !present.contains($0) }
    return (present + away).map { radioCentral($0) }
  }

  package var identity: PhoneIdentity? {
    guard let former = formerIdentity, let own = adapter.withHost({ $0.bonds }) else { return formerIdentity }
    let bonds = own.sorted { $0.key < $1.key }.map { address, keys in
      let central = CentralID(address)
      var configurations = links.retained(of: central)
      for characteristic in subscriptions.characteristics(of: central) {
        configurations[characteristic] = configuration(of: characteristic, for: central)
      }
      return PhoneIdentity.Bond(
        central: central, keys: keys,
        subscriptions: configurations.sorted { $0.key < $1.key }.map { .init(characteristic: $0, configuration: $1) })
    }
    return PhoneIdentity(address: former.address, key: former.key, bonds: bonds)
  }

  package var bonds: [RadioBond] {
    adapter.withHost { host in
      host.bonds.sorted { $0.key < $1.key }.map { peer, keys in
        RadioBond(
          address: "\(peer)", identity: keys.identity.map { "\($0.address.deviceAddress)" },
          isConnected: host.linksOfPeers[peer] != nil)
      }
    } ?? []
  }

  package func forgetBonds(with address: String?, _ completion: @escaping @Sendable (RadioFailure?) -> Void) {
    let cancelled: @Sendable () -> Void = { completion(RadioFailure("the radio has ended")) }
    guard !hasVanished else { return cancelled() }
    later(cancelled: cancelled) { this in
      let host = this.adapter.withHost { $0 }
      for peer in host?.bonds.keys.sorted() ?? [] where address == nil || address == "\(peer)" {
        this.links.forgetRetained(of: CentralID(peer))
        this.ask(.unpair(peer))
        if let link = host?.linksOfPeers[peer] { this.ask(.disconnect(link, because: .bondForgotten)) }
      }
      completion(nil)
    }
  }

  private func configuration(of characteristic: AttributeHandle, for central: CentralID) -> UInt16? {
    guard let database = adapter.withHost({ $0.database }), let address = links.address(of: central),
      let descriptor = database.clientConfiguration(of: characteristic)
    else { return nil }
    return database.configuration(descriptor, of: address)
  }

  /// Sets a subscription aside when the central disconnects. Until its next link is encrypted, another device could
  /// have its address.
  func retain(_ characteristic: AttributeHandle, of central: CentralID) {
    guard let value = configuration(of: characteristic, for: central), let address = links.address(of: central) else {
      return
    }
    links.retain(value, of: characteristic, for: central)
    ask(.configure(characteristic, of: address, to: 0))
  }

  /// A subscription that takes effect is reported like a new one.
  func resumeSubscriptions(of central: CentralID, over id: ConnectionID) {
    guard let address = links.address(of: central), let database = adapter.withHost({ $0.database }) else { return }
    for (characteristic, value) in links.retained(of: central).sorted(by: { $0.key < $1.key })
    where database.clientConfiguration(of: characteristic) != nil {
      links.retain(nil, of: characteristic, for: central)
      ask(.configure(characteristic, of: address, to: value, over: id))
    }
  }
}
