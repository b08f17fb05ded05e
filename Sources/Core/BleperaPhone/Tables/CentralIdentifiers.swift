import BleperaBluetooth

/// The identifiers by which apps know centrals: of those that are connected or restored. Each visit may come from
/// another address; an address that returns gets the same identifier again.
struct CentralIdentifiers {
  /// By the addresses.
  private var identifiers: [CentralID: CentralID] = [:]

  var isEmpty: Bool { identifiers.isEmpty }

  /// The identifier for apps.
  mutating func identifier(of address: CentralID) -> CentralID {
    if let known = identifiers[address] { return known }
    let new = address.forApps
    identifiers[address] = new
    return new
  }

  /// The address of a central that apps know; any other identifier stays as it is.
  func address(of identifier: CentralID) -> CentralID {
    identifiers.first { $0.value == identifier }?.key ?? identifier
  }

  mutating func forget(_ address: CentralID) { identifiers[address] = nil }
}
