import BleperaBluetooth
import BleperaHost
import BleperaRadio
import Testing

@testable import BleperaHostRadio

@Suite("The links of a radio to centrals")
struct CentralLinksTests {
  private static let address = DeviceAddress(bits: 1)
  private static let central = CentralID(address)
  private static let away = CentralID(DeviceAddress(bits: 2))
  private static let link = ConnectionID(7)

  /// One central that is connected, and one that is bonded and away.
  private static func links() -> CentralLinks {
    let keys = SecurityBond(
      asCentral: nil, asPeripheral: nil, keySize: 16, isAuthenticated: false, isSecureConnections: true)
    let subscriptions = [(0x103, 2), (0x101, 1)].map {
      PhoneIdentity.Subscription(characteristic: AttributeHandle(rawValue: $0), configuration: $1)
    }
    var links = CentralLinks([.init(central: away, keys: keys, subscriptions: subscriptions)])
    #expect(links.connect(address, over: link, mtu: 23) == central)
    return links
  }

  @Test("A central is found by its connection and by its identifier, until the connection ends")
  func connections() {
    var links = Self.links()
    links.set(mtu: 185, over: Self.link)
    links.set(mtu: 185, over: ConnectionID(8))
    #expect(links[Self.link]?.central == Self.central && links[Self.link]?.mtu == 185)
    #expect(links.connection(of: Self.central) == Self.link && links.connections == [Self.link])
    links.disconnect(Self.link)
    #expect(links[Self.link] == nil && links.connections.isEmpty && links.connection(of: Self.central) == nil)
  }

  @Test("An address is known until it is forgotten, that of a bonded central from the start")
  func addresses() {
    var links = Self.links()
    links.disconnect(Self.link)
    #expect(links.address(of: Self.central) == Self.address)
    links.forget(Self.central)
    #expect(links.address(of: Self.central) == nil && links.address(of: Self.away) == DeviceAddress(bits: 2))
  }

  @Test("Subscriptions are retained until they take effect again or their service is removed")
  func retained() {
    var links = Self.links()
    links.retain(1, of: 0x103, for: Self.central)
    #expect(links.retained(of: Self.away) == [0x101: 1, 0x103: 2])
    #expect(links.retainedSubscribers(of: 0x103) == [Self.central, Self.away])
    links.retain(nil, of: 0x103, for: Self.away)
    #expect(links.retainedSubscribers(of: 0x103) == [Self.central])
    links.forgetRetained(in: 0x100...0x101)
    #expect(links.retained(of: Self.away) == [:] && links.retained(of: Self.central) == [0x103: 1])
  }

  @Test("Updates are counted for each central", arguments: [(1, 0, 1), (2, 1, 1), (1, 1, 0), (1, 2, 0)])
  func updates(begun: Int, ended: Int, left: Int) {
    var links = Self.links()
    for _ in 0..<begun { links.updateBegins(to: [Self.central]) }
    for _ in 0..<ended { links.updateEnds(to: [Self.central, Self.away]) }
    #expect(links.unsentUpdates(to: Self.central) == left && links.unsentUpdates(to: Self.away) == 0)
  }
}
