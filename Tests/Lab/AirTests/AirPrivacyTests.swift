import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Private addresses on the air")
struct AirPrivacyTests {
  private static let identity = Stage.address(Stage.phone)
  private static let rotation = Duration.seconds(900)

  /// A stage whose phone uses private addresses and advertises.
  private static func stage(seed: UInt64 = 1) -> Stage {
    var stage = Stage(seed: seed)
    stage.send(.removed(Stage.phone))
    let description = AdapterDescription(address: identity, addressRotation: rotation, name: "phone")
    stage.send(.added(Stage.phone, description))
    stage.send(.host(Stage.phone, .capability(.noInputNoOutput)))
    stage.advertise()
    _ = stage.take()
    return stage
  }

  private static func bonded() throws -> Stage {
    var stage = stage()
    let connection = try stage.connect()
    stage.send(.host(Stage.central, .pair(connection, OperationID(1))))
    stage.send(.host(Stage.phone, .respondToPairing(connection, .yes)))
    stage.send(.host(Stage.central, .disconnect(connection)))
    _ = stage.take()
    return stage
  }

  /// The addresses that the central receives, each once, in their order.
  private static func addresses(_ stage: inout Stage, for duration: Duration) -> [DeviceAddress] {
    stage.send(.linkLayer(Stage.central, .scan(ScanWindow())))
    stage.wait(duration)
    let addresses = stage.take().reports(to: Stage.central).map(\.address)
    return addresses.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  @Test("A scanner receives a new address every 15 minutes, which the key resolves")
  func rotation() throws {
    var stage = Self.stage()
    let key = try #require(stage.air.adapters[Stage.phone]?.privacy?.key)
    let addresses = Self.addresses(&stage, for: .seconds(3590))
    #expect(addresses.count == 4)
    #expect(Set(addresses).count == 4)
    #expect(addresses.allSatisfy { key.resolves($0.bits) && $0.kind == "random" })
    #expect(Self.identity.kind == "public")
  }

  @Test("The address changes with the first event after 15 minutes")
  func time() {
    var stage = Self.stage()
    let first = stage.air.adapters[Stage.phone]?.address
    stage.wait(.milliseconds(899_999))
    #expect(stage.air.adapters[Stage.phone]?.address == first)
    stage.wait(.milliseconds(1300))
    #expect(stage.air.adapters[Stage.phone]?.address != first)
  }

  @Test("An hour without advertising is one change")
  func silence() {
    var stage = Self.stage()
    let first = stage.air.adapters[Stage.phone]?.address
    stage.send(.linkLayer(Stage.phone, .withdraw(AdvertisementID(1))))
    stage.wait(.seconds(3595))
    #expect(stage.air.adapters[Stage.phone]?.address == first)
    stage.advertise(2)
    // The next change is due after 3600 s.
    #expect(Self.addresses(&stage, for: .seconds(10)).count == 2)
  }

  @Test("Equal seeds give equal addresses, others other keys")
  func seeds() {
    let addresses = ([1, 1, 2] as [UInt64]).map { seed in
      var stage = Self.stage(seed: seed)
      return Self.addresses(&stage, for: .seconds(2000))
    }
    #expect(addresses[0] == addresses[1])
    #expect(Set(addresses[0]).isDisjoint(with: addresses[2]))
  }

  @Test("An adapter that is plugged in again has its key and another address")
  func unplugged() throws {
    var stage = Self.stage()
    let before = try #require(stage.air.adapters[Stage.phone])
    stage.send(.removed(Stage.phone))
    stage.wait(.seconds(1))
    stage.send(.added(Stage.phone, before.description))
    let after = try #require(stage.air.adapters[Stage.phone])
    #expect(after.privacy?.key == before.privacy?.key)
    #expect(after.address != before.address)
  }

  @Test("Without a bond a central connects to the current address and not to an earlier one")
  func connecting() throws {
    var stage = Self.stage()
    let first = try #require(stage.air.adapters[Stage.phone]?.address)
    stage.wait(.seconds(902))
    let second = try #require(stage.air.adapters[Stage.phone]?.address)
    _ = stage.take()
    stage.send(.linkLayer(Stage.central, .connect(first)))
    stage.wait(.seconds(40))
    #expect(stage.take() == [])
    stage.send(.linkLayer(Stage.central, .connect(second)))
    stage.wait(.seconds(2))
    let link = try #require(stage.air.connection(between: Stage.central, and: Stage.phone))
    #expect(link.central == Stage.central && stage.take().wanted == second)
  }

  @Test("A connection outlives the address with which it began")
  func connection() throws {
    var stage = Self.stage()
    let link = try stage.connect()
    // The connection has ended the first advertisement.
    stage.advertise(2)
    let before = stage.air.adapters[Stage.phone]?.address
    stage.wait(.seconds(2000))
    #expect(stage.air.adapters[Stage.phone]?.address != before)
    #expect(stage.air.connections[link] != nil)
  }

  @Test("A bonded central sees the identity address, and others the private one")
  func resolving() throws {
    var stage = try Self.bonded()
    #expect(stage.air.hosts[Stage.central]?.isBonded(with: Self.identity) == true)
    for adapter in [Stage.central, Stage.second] { stage.send(.linkLayer(adapter, .scan(ScanWindow()))) }
    stage.wait(.seconds(2000))
    let actions = stage.take()
    #expect(Set(actions.reports(to: Stage.central).map(\.address)) == [Self.identity])
    let others = Set(actions.reports(to: Stage.second).map(\.address))
    #expect(others.count >= 2 && !others.contains(Self.identity))
  }

  @Test("A bonded central connects by the identity address and by an earlier private one, until it deletes the keys")
  func returning() throws {
    var stage = Self.stage()
    let first = try #require(stage.air.adapters[Stage.phone]?.address)
    stage = try Self.bonded()
    stage.wait(.seconds(1000))
    for address in [Self.identity, first] {
      _ = stage.take()
      stage.send(.linkLayer(Stage.central, .connect(address)))
      stage.wait(.seconds(2))
      let link = try #require(stage.air.connection(between: Stage.central, and: Stage.phone))
      #expect(stage.link(link.id, of: Stage.central)?.security == .encrypted)
      #expect(stage.take().wanted == address)
      stage.send(.host(Stage.central, .disconnect(link.id)))
    }
    stage.send(.host(Stage.central, .unpair(Self.identity)))
    stage.send(.linkLayer(Stage.central, .connect(first)))
    stage.wait(.seconds(10))
    #expect(stage.air.connection(between: Stage.central, and: Stage.phone) == nil)
  }

  @Test("A central that is connected and waits under another address of the phone is in nobody's way")
  func twice() throws {
    var stage = Self.stage()
    let first = try #require(stage.air.adapters[Stage.phone]?.address)
    stage.send(.linkLayer(Stage.central, .connect(first)))
    stage.wait(.seconds(2))
    stage.send(.linkLayer(Stage.central, .connect(Self.identity)))
    stage.advertise(2)
    stage.send(.linkLayer(Stage.second, .connect(Self.identity)))
    stage.wait(.seconds(2))
    #expect(stage.air.connections.count == 2)
    #expect(stage.air.connection(between: Stage.second, and: Stage.phone) != nil)
  }
}
