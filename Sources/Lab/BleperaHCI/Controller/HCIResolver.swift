import BleperaBluetooth
import BleperaHCIProtocol

/// The resolving list of a host: the peers whose private addresses the controller knows, and with which the controller
/// uses private addresses (Core Specification, Vol 6, Part B, 4.7 and 6).
struct HCIResolver: Sendable {
  struct Entry: Sendable {
    let identity: DeviceAddress
    /// Nil for a key of zeros: that side does not use private addresses.
    let peerKey: IdentityResolvingKey?
    let ownKey: IdentityResolvingKey?
    /// Whether the peer may also use its identity address.
    var isDeviceMode = false
    /// The own private address now.
    var ownAddress: DeviceAddress?

    var ignoresIdentity: Bool { peerKey != nil && !isDeviceMode }
  }

  var entries: [Entry] = []
  var isEnabled = false
  /// How long a private address is used.
  var timeout = Duration.seconds(900)
  /// The time when the own addresses change; nil while there is no own address.
  var deadline: Duration?

  static let limit = 16

  func index(of identity: DeviceAddress) -> Int? { entries.firstIndex { $0.identity == identity } }

  /// The device that uses a private address; nil where resolution is off.
  func identity(of address: DeviceAddress) -> DeviceAddress? {
    guard isEnabled, address.isRandom, IdentityResolvingKey.isResolvable(address.bits) else { return nil }
    return entries.first { $0.peerKey?.resolves(address.bits) == true }?.identity
  }

  /// Whether packets with the address are dropped, because it is the identity of a device that has to use private ones.
  func ignores(_ address: DeviceAddress) -> Bool {
    isEnabled && entries.contains { $0.identity == address && $0.ignoresIdentity }
  }

  /// The private address towards a peer; nil where it has none.
  mutating func ownAddress(
    towards peer: DeviceAddress, at now: Duration, using random: inout SplitMix64
  ) -> DeviceAddress? {
    guard isEnabled, let index = index(of: peer), let key = entries[index].ownKey else { return nil }
    if let address = entries[index].ownAddress { return address }
    let address = DeviceAddress(bits: key.makeAddress(using: &random))
    entries[index].ownAddress = address
    deadline = deadline ?? now + timeout
    return address
  }

  /// The conditions under which an attempt answers a peer.
  func peers(_ identities: Set<DeviceAddress>) -> (addresses: Set<DeviceAddress>, keys: [IdentityResolvingKey]) {
    guard isEnabled else { return (identities, []) }
    let known = entries.filter { identities.contains($0.identity) }
    let ignored = known.filter(\.ignoresIdentity).map(\.identity)
    return (identities.subtracting(ignored), known.compactMap(\.peerKey))
  }
}

extension HCIController {
  /// The own addresses change, and what is on the air is sent under the new one.
  mutating func resolverTick() {
    guard let deadline = resolver.deadline, now >= deadline else { return }
    for index in resolver.entries.indices { resolver.entries[index].ownAddress = nil }
    resolver.deadline = nil
    for (handle, set) in advertiser.sets.sorted(by: { $0.key < $1.key })
    where set.parameters.ownType > 1 {
      // The set was accepted with the same parameters.
      try? refresh(handle)
    }
  }

  /// The list and its use cannot be changed while the radio may need it (7.8.38 and 7.8.44).
  func checkResolver(isChange: Bool = false) throws(HCIError) {
    let isBusy =
      scanner.isEnabled || links.attempt != nil || advertiser.sets.values.contains { $0.isEnabled }
    if isBusy, resolver.isEnabled || isChange { throw .commandDisallowed }
  }

  /// The address in an event: the identity of a resolved address.
  func eventAddress(_ address: DeviceAddress) -> (address: DeviceAddress, isResolved: Bool) {
    resolver.identity(of: address).map { ($0, true) } ?? (address, false)
  }
}
