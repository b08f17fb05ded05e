import BleperaBluetooth
package import BleperaHost

/// The hosts of the air, which act on its link layers as hosts outside it do.
extension VirtualAir {
  /// Changes the host of an adapter, if it has one of the air's, and does what the host then does.
  mutating func host(_ id: AdapterID, _ change: (inout HostStack) -> Void) {
    hosts[id]?.apply(change)
    for output in hosts[id]?.takeOutputs() ?? [] { perform(output, of: id) }
  }

  private mutating func perform(_ output: HostOutput, of id: AdapterID) {
    switch output {
    case .action(let action): actions.append(.host(id, action))
    case .link(let link, let request): self.link(request, by: id, over: link)
    case .timer(let timer, let duration): timers.add(.host(id, timer), at: now + duration)
    case .bondsChanged: knownListeners = nil
    }
  }

  /// The host of one of the two sides takes the connection.
  mutating func open(_ connection: AirConnection, _ opening: LinkOpening, at side: AdapterID) {
    guard hosts.contains(side) else { return }
    let isStrict = !opening.isCentral && adapters[connection.central]?.description.meetsStrictPhones == true
    let random = SplitMix64(seed: keyRandom.next())
    host(side) { $0.open(connection.id, opening, isStrict: isStrict, random: .seeded(random)) }
  }

  /// The passkey that the other side shows while the two pair.
  func passkey(shownOver id: ConnectionID) -> UInt32? {
    conditions.hidesDisplays ? nil : hosts.values.lazy.compactMap { $0.links[id]?.passkey }.first
  }

  // MARK: Channels

  /// The first bytes that wait for the reader; nil at the end.
  package func channelInput(_ end: ChannelEnd, of adapter: AdapterID, upTo limit: Int) -> [UInt8]? {
    hosts[adapter]?.channelInput(end, upTo: limit)
  }

  /// How many bytes can be written now; nil if none can be anymore.
  package func channelRoom(_ end: ChannelEnd, of adapter: AdapterID) -> Int? { hosts[adapter]?.channelRoom(end) }
}

extension HostStack {
  /// The host of an adapter of the air.
  ///
  /// - Parameter key: with which its private addresses are made; nil without them.
  init(
    _ description: AdapterDescription, key: IdentityResolvingKey?, bonds: [DeviceAddress: SecurityBond]
  ) {
    self.init(
      description.stack, name: description.name,
      identity: SecurityIdentity(address: SecurityAddress(description.address), key: key), mtu: description.mtu,
      fragmentLength: LinkEvents.longestPDU, bonds: bonds)
  }
}
