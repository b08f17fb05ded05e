import BleperaTesting
import Testing

/// The keys by which a gateway may recognize a lock.
private enum Key: Hashable {
  case address(String)
  case irk(IdentityResolvingKey)

  func recognizes(_ found: DiscoveredPeripheral) -> Bool {
    switch self {
    case .address(let address): found.address == address
    case .irk(let key): key.resolves(found.address)
    }
  }
}

/// An iPhone changes its address every 15 minutes.
@Suite("A lock with private addresses", .traced)
struct AddressStories {
  @Test("A gateway recognizes it by its key, and for 15 minutes by its address")
  func rotation() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let gateway = Central(on: air, named: "gateway")
    phone.launch(Lock().definition)
    let first = try #require(await gateway.discover(.localName("Lock"), within: .seconds(3)))
    let (byAddress, byKey) = (Key.address(first.address), Key.irk(try #require(phone.irk)))
    #expect(byAddress.recognizes(first) && byKey.recognizes(first))
    await air.advance(by: .seconds(15 * 60))
    let second = try #require(await gateway.discover(.localName("Lock"), within: .seconds(3)))
    #expect(!byAddress.recognizes(second))
    #expect(byKey.recognizes(second))
  }

  @Test("A bonded gateway discovers its identity address")
  func bonded() async throws {
    let air = Air()
    let phone = Phone(on: air)
    let gateway = Central(on: air, named: "gateway")
    phone.launch(Lock().definition)
    try await gateway.connect(to: phone)
    try await gateway.pair()
    await gateway.disconnect()
    await air.advance(by: .seconds(15 * 60))
    let found = try #require(await gateway.discover(.localName("Lock"), within: .seconds(3)))
    #expect(Key.address(phone.identityAddress).recognizes(found))
  }
}
