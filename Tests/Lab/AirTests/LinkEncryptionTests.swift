import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Encryption of connections of two hosts outside the air")
struct LinkEncryptionTests {
  private static let central = AdapterID(3)
  private static let peripheral = AdapterID(4)
  private static let interval = Duration.microseconds(7500)
  private static let key: UInt128 = 1234
  private static let request = LinkKey(key, random: 7, diversifier: 9)

  private var stage: Stage
  private let link: ConnectionID

  init() throws {
    stage = Stage(stack: StackBehavior())
    for (id, number) in [(Self.central, 3), (Self.peripheral, 4)] {
      let address = DeviceAddress(bits: 0x00AA_0100_0000 + UInt64(number))
      stage.send(.added(id, .controller(address: address, name: "host \(number)")))
    }
    let address = DeviceAddress(bits: 0xC000_0000_0001, isRandom: true)
    stage.send(
      .linkLayer(
        Self.peripheral,
        .advertise(
          AdvertisementID(8), AdvertisingPackets(data: [], interval: .milliseconds(100), address: .fixed(address)))))
    let parameters = LinkParameters(interval: Self.interval, supervisionTimeout: .milliseconds(720))
    stage.send(
      .linkLayer(
        Self.central, .attempt(ConnectionAttempt(to: [address], from: address, ScanWindow(), parameters: parameters))))
    stage.wait(.seconds(1))
    link = try #require(stage.air.connection(between: Self.central, and: Self.peripheral)).id
    _ = stage.take()
  }

  /// The notices that each side receives within that many intervals.
  private mutating func notices(after intervals: Int = 8) -> [AdapterID: [LinkNotice]] {
    stage.wait(Self.interval * intervals)
    var notices: [AdapterID: [LinkNotice]] = [:]
    for case .linkLayer(let side, .link(link, let notice)) in stage.take() { notices[side, default: []].append(notice) }
    return notices
  }

  private mutating func encrypt(_ request: LinkKey = request, answer: UInt128?) -> [AdapterID: [LinkNotice]] {
    stage.send(.linkLayer(Self.central, .link(link, .encrypt(request))))
    let asked = notices()
    #expect(
      asked == [
        Self.peripheral: [.keyRequested(random: request.random, diversifier: request.diversifier)]
      ])
    stage.send(.linkLayer(Self.peripheral, .link(link, .key(answer))))
    return notices()
  }

  @Test("Equal keys encrypt the connection, which both sides are given; another procedure changes the key")
  func encrypted() {
    var test = self
    let first = [LinkNotice.encrypted(isRefresh: false)]
    #expect(test.encrypt(answer: Self.key) == [Self.central: first, Self.peripheral: first])
    let other: UInt128 = 5
    let second = [LinkNotice.encrypted(isRefresh: true)]
    #expect(
      test.encrypt(LinkKey(other, random: 0, diversifier: 0), answer: other)
        == [Self.central: second, Self.peripheral: second])
  }

  @Test("Without a key the central is given Key Missing and the connection stays; a change of the key ends it")
  func missing() {
    var test = self
    #expect(test.encrypt(answer: nil) == [Self.central: [.encryptionRefused(.missingKey)]])
    #expect(test.encrypt(answer: Self.key).count == 2)
    let ended = [LinkNotice.ended(.missingKey)]
    #expect(test.encrypt(answer: nil) == [Self.central: ended, Self.peripheral: ended])
  }

  @Test("Unequal keys end the connection for both sides")
  func unequal() {
    var test = self
    let ended = [LinkNotice.ended(.integrityFailure)]
    #expect(
      test.encrypt(answer: 0) == [Self.central: ended, Self.peripheral: ended])
  }

  @Test("Data of both sides waits for the end of the procedure, in order")
  func held() {
    var test = self
    test.stage.send(.linkLayer(Self.central, .link(link, .encrypt(Self.request))))
    _ = test.notices()
    let data = [1, 2].map { LinkNotice.data(LinkData(isStart: true, [$0])) }
    for side in [Self.central, Self.peripheral] {
      for byte in [1, 2] as [UInt8] {
        test.stage.send(.linkLayer(side, .link(link, .data(LinkData(isStart: true, [byte])))))
      }
    }
    #expect(test.notices().isEmpty)
    test.stage.send(.linkLayer(Self.peripheral, .link(link, .key(Self.key))))
    let notices = test.notices()
    for side in [Self.central, Self.peripheral] {
      let received = notices[side]?.filter { $0 != .sent }
      #expect(received == [.encrypted(isRefresh: false)] + data)
    }
  }

  @Test("Encryption waits for the answers of other procedures, and they wait for it")
  func serialized() {
    var test = self
    test.stage.send(.linkLayer(Self.peripheral, .link(link, .readFeatures)))
    test.stage.send(.linkLayer(Self.central, .link(link, .encrypt(Self.request))))
    test.stage.wait(Self.interval)
    #expect(test.stage.air.connections[link]?.encryption?.requested == nil)
    let asked = LinkNotice.keyRequested(random: Self.request.random, diversifier: Self.request.diversifier)
    #expect(test.notices()[Self.peripheral] == [.features, asked])
    test.stage.send(.linkLayer(Self.central, .link(link, .readVersion)))
    #expect(test.notices().isEmpty)
    test.stage.send(.linkLayer(Self.peripheral, .link(link, .key(Self.key))))
    #expect(test.notices()[Self.central] == [.encrypted(isRefresh: false), .version])
  }

  @Test("A host that does not answer ends the connection after 40 s")
  func unanswered() {
    var test = self
    test.stage.send(.linkLayer(Self.central, .link(link, .encrypt(Self.request))))
    _ = test.notices()
    test.stage.wait(.seconds(39))
    #expect(test.stage.air.connections[link] != nil)
    test.stage.wait(.seconds(1))
    #expect(test.notices()[Self.central] == [.ended(.responseTimeout)])
  }
}
