import BleperaBluetooth
import BleperaHost
import BleperaRadio

/// The links of a radio to centrals, with what outlasts the links of bonded centrals: their addresses and their
/// subscriptions.
struct CentralLinks {
  private var links: [ConnectionID: (central: CentralID, mtu: Int)] = [:]
  private var addresses: [CentralID: DeviceAddress] = [:]
  /// The Client Characteristic Configurations of bonded centrals that take effect again when their links are encrypted,
  /// by value handle.
  private var retained: [CentralID: [AttributeHandle: UInt16]] = [:]
  /// The number of updates for each central that are not on the air yet.
  private var unsent: [CentralID: Int] = [:]

  init(_ bonds: [PhoneIdentity.Bond] = []) {
    for bond in bonds {
      addresses[bond.central] = DeviceAddress(bond.central.rawValue)
      retained[bond.central] = Dictionary(bond.subscriptions.map { ($0.characteristic, $0.configuration) }) { $1 }
    }
  }

  /// Ascending.
  var connections: [ConnectionID] { links.keys.sorted() }
  subscript(id: ConnectionID) -> (central: CentralID, mtu: Int)? { links[id] }
  func connection(of central: CentralID) -> ConnectionID? { links.first { $0.value.central == central }?.key }
  func address(of central: CentralID) -> DeviceAddress? { addresses[central] }

  mutating func connect(_ address: DeviceAddress, over id: ConnectionID, mtu: Int) -> CentralID {
    let central = CentralID(address)
    (links[id], addresses[central]) = ((central, mtu), address)
    return central
  }

  mutating func set(mtu: Int, over id: ConnectionID) { links[id]?.mtu = mtu }

  mutating func disconnect(_ id: ConnectionID) { links[id] = nil }

  /// Forgets the address of a central without a bond, which may come from another one each time.
  mutating func forget(_ central: CentralID) { addresses[central] = nil }

  // MARK: Retained subscriptions

  func retained(of central: CentralID) -> [AttributeHandle: UInt16] { retained[central] ?? [:] }

  /// In the order of their identifiers.
  func retainedSubscribers(of characteristic: AttributeHandle) -> [CentralID] {
    retained.filter { $0.value[characteristic] != nil }.keys.sorted { $0.rawValue < $1.rawValue }
  }

  /// - Parameter configuration: nil for one that has taken effect again.
  mutating func retain(_ configuration: UInt16?, of characteristic: AttributeHandle, for central: CentralID) {
    retained[central, default: [:]][characteristic] = configuration
  }

  mutating func forgetRetained(of central: CentralID) { retained[central] = nil }

  mutating func forgetRetained(in range: ClosedRange<AttributeHandle>) {
    retained = retained.mapValues { $0.filter { !range.contains($0.key) } }
  }

  // MARK: Updates

  func unsentUpdates(to central: CentralID) -> Int { unsent[central] ?? 0 }

  mutating func updateBegins(to centrals: [CentralID]) { for central in centrals { unsent[central, default: 0] += 1 } }

  mutating func updateEnds(to centrals: [CentralID]) {
    for central in centrals { unsent[central] = unsentUpdates(to: central) > 1 ? unsentUpdates(to: central) - 1 : nil }
  }
}
