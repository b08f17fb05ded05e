import BleperaAccessory
import BleperaAir
import BleperaBluetooth
import BleperaHost
import BleperaPhone
import BleperaRules
import Testing

@Suite("The ATT_MTU of a phone is decided by the peer's offer, the data length of the link, and the phone")
struct PhoneMTUTests {
  /// The role of the phone, and who exchanges the ATT_MTU.
  enum Exchange: CaseIterable {
    case phoneAsCentral
    /// The peripheral begins, before the phone's controller knows the data length; then the phone.
    case peerAndPhoneAsCentral
    case phoneAsPeripheral, peerAsCentral
  }

  private static let (phone, peer) = (AdapterID(0), AdapterID(1))
  /// The offers of peers with data length: what both sides agree on from iOS 15 on.
  private static let offers = [(23, 23), (185, 185), (247, 247), (517, 517), (527, 527), (600, 527)]

  @Test("With data length 527 at most from iOS 15 on, else 185", arguments: IOSVersion.allCases, Exchange.allCases)
  func versions(ios: IOSVersion, exchange: Exchange) throws {
    for (offer, mtu) in Self.offers {
      let expected = ios < .ios15 ? min(mtu, 185) : mtu
      try Self.expect(expected, PhoneSettings(ios: ios), exchange, offer: offer, dataLength: 251)
      try Self.expect(min(mtu, 185), PhoneSettings(ios: ios), exchange, offer: offer, dataLength: 27)
    }
  }

  @Test("A phone up to the 6s has 185 always, any other kind has data length", arguments: Exchange.allCases)
  func kinds(exchange: Exchange) throws {
    for (ios, kind, mtu) in [
      (.ios15, .upTo6s, 185), (.ios15, .earlier, 517), (.ios26, .earlier, 517), (.ios26, .n1, 517),
    ] as [(IOSVersion, PhoneKind, Int)] {
      let settings = PhoneSettings(ios: ios, kind: kind)
      try Self.expect(mtu, settings, exchange, offer: 517, dataLength: 251)
      try Self.expect(185, settings, exchange, offer: 517, dataLength: 27)
    }
  }

  @Test("The ATT_MTU that the user chooses is that of every link", arguments: [185, 300, 527], Exchange.allCases)
  func chosen(mtu: Int, exchange: Exchange) throws {
    var settings = PhoneSettings(ios: .ios15)
    settings.mtu = mtu
    for length in [27, 251] { try Self.expect(mtu, settings, exchange, offer: 600, dataLength: length) }
  }

  /// Connects a phone and a peer, and compares the ATT_MTU of both hosts.
  private static func expect(
    _ mtu: Int, _ settings: PhoneSettings, _ exchange: Exchange, offer: Int, dataLength: Int
  ) throws {
    var settings = settings
    settings.usesPublicAddress = true
    // A phone that is the peripheral asks if it has an iPhone's own services and the central has not asked.
    settings.phoneServices = exchange == .phoneAsPeripheral
    let addresses = [DeviceAddress(bits: 0x00AA_0100_0000), DeviceAddress(bits: 0x00AA_0100_0001)]
    var other = AdapterDescription(address: addresses[1], name: "peer", mtu: offer)
    other.dataLength = dataLength
    other.stack.client = exchange == .peerAsCentral ? .discovering : .bluetoothd
    let isCentral = exchange == .phoneAsCentral || exchange == .peerAndPhoneAsCentral
    let (central, peripheral) = isCentral ? (phone, peer) : (peer, phone)
    var air = VirtualAir(seed: 1)
    _ = air.handle(.added(phone, AdapterDescription(settings, address: addresses[0])), at: .zero)
    _ = air.handle(.added(peer, other), at: .zero)
    let packets = AdvertisingPackets(data: [], interval: .milliseconds(100))
    _ = air.handle(.linkLayer(peripheral, .advertise(AdvertisementID(1), packets)), at: .zero)
    _ = air.handle(.linkLayer(central, .connect(addresses[peripheral.number])), at: .zero)
    var now = Duration.zero
    func run(until isReached: () -> Bool) {
      while !isReached(), let deadline = air.nextDeadline, deadline < .seconds(5) {
        now = max(now, deadline)
        _ = air.handle(.tick, at: now)
      }
    }
    run { air.connection(between: phone, and: peer) != nil }
    let link = try #require(air.connection(between: phone, and: peer)).id
    if exchange == .peerAndPhoneAsCentral { _ = air.handle(.host(peer, .exchangeMTU(link, knowing: [])), at: now) }
    let end = now + .seconds(2)
    run { now > end }
    let agreed = [phone, peer].map { air.hosts[$0]?.links[link]?.mtu }
    #expect(agreed == [mtu, mtu], "\(settings.rules.version), \(exchange), offer \(offer), data length \(dataLength)")
  }
}
