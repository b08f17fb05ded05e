import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Connections of hosts outside the air")
struct LinkTests {
  private static let host = AdapterID(3)
  private static let other = AdapterID(4)
  private static let address = DeviceAddress(bits: 0xF0F1_F2F3_F4F5, isRandom: true)
  private static let interval = Duration.microseconds(7500)
  private static let parameters = LinkParameters(interval: interval, supervisionTimeout: .milliseconds(720))

  private var stage: Stage
  private let link: ConnectionID

  init() throws {
    stage = Stage(stack: StackBehavior())
    stage.send(.added(Self.host, .controller(address: DeviceAddress(bits: 0x00AA_0100_0003), name: "host")))
    stage.advertise()
    stage.send(
      .linkLayer(
        Self.host,
        .attempt(
          ConnectionAttempt(
            to: [Stage.address(Stage.phone)], from: Self.address, ScanWindow(), parameters: Self.parameters))))
    stage.wait(.seconds(2))
    link = try #require(stage.air.connection(between: Stage.phone, and: Self.host)).id
  }

  /// Sends a PDU; the PDUs that arrive at the host, and when the first has.
  private mutating func exchange(
    _ pdu: String, on channel: UInt16 = L2CAPFrame.attributes
  ) throws -> (pdus: [String], after: Duration) {
    _ = stage.take()
    let start = stage.now
    let bytes = try #require(Hex.bytes(pdu))
    let frame = L2CAPFrame(channel: channel, payload: bytes)
    stage.send(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, frame.bytes)))))
    var after = Duration.zero
    var received: [String] = []
    for _ in 0..<4 {
      stage.wait(Self.interval)
      for case .linkLayer(_, .link(_, .data(let data))) in stage.take() {
        if received.isEmpty { after = stage.now - start }
        received.append(Hex.string(Array(data.bytes.dropFirst(4))))
      }
    }
    return (received, after)
  }

  @Test("The connection has the host's address and parameters, an MTU of 23 and no discovery of the air's own")
  func connected() throws {
    let connection = try #require(stage.air.connections[link])
    #expect(
      stage.link(link, of: Stage.phone)?.peer == Self.address && connection.addresses.central == Self.address)
    #expect(connection.parameters == Self.parameters && stage.link(link, of: Stage.phone)?.security == .open)
    var stage = stage
    stage.wait(.seconds(5))
    #expect(!stage.take().contains(.host(Stage.central, .servicesResolved(link))))
  }

  @Test(
    "Requests are answered with the handles of the phone",
    arguments: [
      ("0217 00".filter { $0 != " " }, "030502"),
      ("100100FFFF0028", "1106010005000018060009000118"),
      ("0A0300", "0B70686F6E65".replacing("70686F6E65", with: Hex.string(Array("box 0".utf8)))),
      ("080100FFFF002A", "09070300" + Hex.string(Array("box 0".utf8))),
      ("0A0000", "010A000001"), ("120300AA", "0112030003"), ("99", "0199000006"), ("0A", "010A000004"),
    ])
  func request(pdu: String, answer: String) throws {
    var test = self
    #expect(try test.exchange(pdu).pdus == [answer])
  }

  @Test(
    "Unknown channels and pairing are refused, and what is no request stays unanswered",
    arguments: [
      (L2CAPFrame.signaling, "14010A0080004000F700F5000A00", ["15010A0000000000000000000200"]),
      (L2CAPFrame.signaling, "1202080006000C0000004800", ["010202000000"]),
      (L2CAPFrame.signaling, "17030A0080004000F700F5000A00", ["010302000000"]),
      (L2CAPFrame.signaling, "0604040040004100", ["01040600020040004100"]),
      (L2CAPFrame.signaling, "1605040040000100", []), (L2CAPFrame.signaling, "14", []),
      (L2CAPFrame.security, "0103000D100303", ["0505"]), (0x0040, "0100", []),
    ] as [(UInt16, String, [String])])
  func refused(channel: UInt16, frame: String, answer: [String]) throws {
    var test = self
    #expect(try test.exchange(frame, on: channel).pdus == answer)
  }

  @Test("A phone with a greeting sends it before anything else")
  func greeting() throws {
    var stack = StackBehavior()
    stack.greeting = [9, 5, 2, 0, 0, 0, 0]
    var stage = Stage(stack: stack)
    stage.send(.added(Self.host, .controller(address: DeviceAddress(bits: 0x00AA_0100_0003), name: "host")))
    stage.advertise()
    let attempt = ConnectionAttempt(
      to: [Stage.address(Stage.phone)], from: Self.address, ScanWindow(), parameters: Self.parameters)
    stage.send(.linkLayer(Self.host, .attempt(attempt)))
    stage.wait(.seconds(2))
    let data = stage.take().compactMap { action -> [UInt8]? in
      if case .linkLayer(Self.host, .link(_, .data(let data))) = action { data.bytes } else { nil }
    }
    #expect(data == [[7, 0, 0x3A, 0, 9, 5, 2, 0, 0, 0, 0]])
  }

  @Test("The MTU is the smaller one, from the response on, and is exchanged once")
  func mtu() throws {
    var test = self
    #expect(try test.exchange("02B900").pdus == ["030502"])
    #expect(test.stage.link(link, of: Stage.phone)?.mtu == 185)
    #expect(try test.exchange("02B900").pdus == ["0102000006"])
  }

  @Test("A read of a stored value takes two connection events at most")
  func events() throws {
    var test = self
    #expect(try test.exchange("0A0300").after <= Self.interval * 2)
  }

  @Test("Each packet of the host is acknowledged in order, four in an event")
  func acknowledged() throws {
    var stage = stage
    _ = stage.take()
    for _ in 0..<6 {
      stage.send(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, [1, 0, 0x3A, 0, 9])))))
    }
    stage.wait(Self.interval)
    let sent = AirAction.linkLayer(Self.host, .link(link, .sent))
    #expect(stage.take().count { $0 == sent } == 4)
    stage.wait(Self.interval)
    #expect(stage.take().count { $0 == sent } == 2)
  }

  @Test("The phone's controller offers PDUs of 251 bytes, and the host is given the lengths that changed")
  func dataLength() throws {
    var stage = stage
    stage.wait(.milliseconds(100))
    #expect(stage.take().contains(.linkLayer(Self.host, .link(link, .dataLength(sent: 27, received: 251)))))
    stage.send(.linkLayer(Self.host, .link(link, .setDataLength(251))))
    stage.wait(.milliseconds(100))
    #expect(stage.take().contains(.linkLayer(Self.host, .link(link, .dataLength(sent: 251, received: 251)))))
  }

  @Test("Features and version are answered, and an update is in force after its instant")
  func control() throws {
    var stage = stage
    _ = stage.take()
    stage.send(.linkLayer(Self.host, .link(link, .readFeatures)))
    stage.send(.linkLayer(Self.host, .link(link, .readVersion)))
    stage.wait(Self.interval * 3)
    let actions = stage.take()
    #expect(actions.contains(.linkLayer(Self.host, .link(link, .features))))
    #expect(actions.contains(.linkLayer(Self.host, .link(link, .version))))
    let slower = LinkParameters(interval: .milliseconds(50), latency: 2, supervisionTimeout: .seconds(4))
    stage.send(.linkLayer(Self.host, .link(link, .update(slower))))
    stage.wait(Self.interval * 5)
    #expect(stage.air.connections[link]?.parameters == Self.parameters)
    stage.wait(Self.interval * 3)
    #expect(stage.air.connections[link]?.parameters == slower)
    #expect(stage.take().contains(.linkLayer(Self.host, .link(link, .parametersChanged(slower)))))
  }

  @Test("Either side ends the connection with a packet, and silence does at the timeout")
  func ends() throws {
    var host = stage
    host.send(.linkLayer(Self.host, .link(link, .disconnect(.userTerminated))))
    host.wait(Self.interval)
    #expect(host.take().contains(.linkLayer(Self.host, .link(link, .ended(.hostTerminated)))))
    var phone = stage
    phone.send(.host(Stage.phone, .disconnect(link)))
    phone.wait(Self.interval)
    #expect(phone.take().contains(.linkLayer(Self.host, .link(link, .ended(.userTerminated)))))
    for event in [AirEvent.cut(Stage.phone, Self.host), .linkLayer(Self.host, .link(link, .abandon))] {
      var silent = stage
      silent.send(event)
      silent.wait(.milliseconds(719))
      #expect(silent.air.connections[link] != nil)
      silent.wait(.milliseconds(1))
      #expect(silent.take().contains(.linkLayer(Self.host, .link(link, .ended(.connectionTimeout)))))
    }
  }

  @Test("A host that does not answer a request for parameters loses the connection after 40 s")
  func unanswered() {
    for isAnswered in [false, true] {
      var stage = stage
      let request = LinkParameterRequest(intervals: 24...40, latency: 0, timeout: 72)
      stage.send(.linkLayer(Stage.phone, .link(link, .requestParameters(request))))
      stage.wait(.seconds(1))
      #expect(stage.take().contains(.linkLayer(Self.host, .link(link, .parametersRequested(request)))))
      if isAnswered { stage.send(.linkLayer(Self.host, .link(link, .refuseParameters(reason: 0x3B)))) }
      stage.wait(.milliseconds(38_999))
      #expect(stage.air.connections[link] != nil)
      stage.wait(.milliseconds(1))
      #expect((stage.air.connections[link] != nil) == isAnswered)
      if !isAnswered { #expect(stage.take().contains(.linkLayer(Self.host, .link(link, .ended(.responseTimeout))))) }
    }
  }

  @Test("A connection over which nothing ever arrives fails to be established")
  func notEstablished() throws {
    var stage = stage
    stage.send(.linkLayer(Self.host, .link(link, .disconnect(.userTerminated))))
    stage.wait(Self.interval)
    let attempt = ConnectionAttempt(
      to: [Stage.address(Stage.phone)], from: Self.address, ScanWindow(), parameters: Self.parameters)
    stage.send(.linkLayer(Self.host, .attempt(attempt)))
    while stage.air.connection(between: Stage.phone, and: Self.host) == nil { stage.wait(.milliseconds(1)) }
    let next = try #require(stage.air.connection(between: Stage.phone, and: Self.host)).id
    stage.send(.cut(Stage.phone, Self.host))
    stage.wait(Self.interval * 5)
    #expect(stage.air.connections[next] != nil)
    stage.wait(Self.interval)
    #expect(stage.take().contains(.linkLayer(Self.host, .link(next, .ended(.notEstablished)))))
  }

  @Test("A subscription notifies the host, and Service Changed waits for its confirmation")
  func values() throws {
    var test = self
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x0100),
      characteristics: [PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: [.notify])])
    // Client Characteristic Configuration of Service Changed.
    #expect(try test.exchange("1209000200").pdus == ["13"])
    test.stage.send(.host(Stage.phone, .publish(ApplicationID(1), [service])))
    test.stage.send(.host(Stage.phone, .unpublish(ApplicationID(1))))
    test.stage.send(.host(Stage.phone, .publish(ApplicationID(2), [service])))
    #expect(try test.exchange("52030000").pdus == ["1D080000010301"])
    #expect(try test.exchange("1E").pdus == ["1D080000010301"])
    _ = try test.exchange("1E")
    #expect(try test.exchange("1203010100").pdus == ["13"])
    test.stage.send(.host(Stage.phone, .updateValue(ApplicationObject(ApplicationID(2), 0), [6, 72], to: nil)))
    #expect(try test.exchange("1E").pdus == ["1B02010648"])
  }

  @Test("A host that does not confirm an indication for 30 s loses the connection")
  func unconfirmed() throws {
    var test = self
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x0100),
      characteristics: [PublishedCharacteristic(index: 0, uuid: BluetoothUUID(0x2A37 as UInt16), flags: [.indicate])])
    test.stage.send(.host(Stage.phone, .publish(ApplicationID(1), [service])))
    #expect(try test.exchange("1203010200").pdus == ["13"])
    for value in [UInt8](1...2) {
      test.stage.send(.host(Stage.phone, .updateValue(ApplicationObject(ApplicationID(1), 0), [value], to: nil)))
    }
    test.stage.wait(.seconds(20))
    #expect(try test.exchange("1E").pdus == ["1D020102"])
    test.stage.wait(.seconds(29))
    #expect(test.stage.air.connections[link] != nil)
    test.stage.wait(.seconds(2))
    #expect(test.stage.air.connections[link] == nil)
  }

  @Test(
    "An attempt with the key of a private address connects to it, and one without does not", arguments: [true, false])
  func resolved(hasKey: Bool) throws {
    var stage = stage
    stage.send(.added(Self.other, .controller(address: DeviceAddress(bits: 0x00AA_0100_0004), name: "other")))
    let key = try #require(IdentityResolvingKey([UInt8](1...16)))
    let address = DeviceAddress(bits: key.address(prand: 0x41_0203), isRandom: true)
    stage.send(
      .linkLayer(
        Self.other,
        .advertise(
          AdvertisementID(8), AdvertisingPackets(data: [], interval: .milliseconds(100), address: .fixed(address)))))
    stage.send(
      .linkLayer(
        Self.host,
        .attempt(
          ConnectionAttempt(
            to: [], resolvedBy: hasKey ? [key] : [], from: Self.address, ScanWindow(), parameters: Self.parameters))))
    stage.wait(.seconds(1))
    #expect((stage.air.connection(between: Self.host, and: Self.other) != nil) == hasKey)
  }

  @Test("Two hosts outside the air exchange data as it is, and the answered set ends alone")
  func between() throws {
    var stage = stage
    stage.send(.added(Self.other, .controller(address: DeviceAddress(bits: 0x00AA_0100_0004), name: "other")))
    let sets = [AdvertisementID(8), AdvertisementID(9)]
    let addresses = [0xC000_0000_0001, 0xC000_0000_0002].map { DeviceAddress(bits: $0, isRandom: true) }
    for (set, address) in zip(sets, addresses) {
      stage.send(
        .linkLayer(
          Self.other,
          .advertise(set, AdvertisingPackets(data: [], interval: .milliseconds(100), address: .fixed(address)))))
    }
    stage.send(
      .linkLayer(
        Self.host,
        .attempt(ConnectionAttempt(to: [addresses[1]], from: Self.address, ScanWindow(), parameters: Self.parameters)))
    )
    stage.wait(.seconds(1))
    let connection = try #require(stage.air.connection(between: Self.host, and: Self.other))
    #expect(connection.advertisement == sets[1] && connection.addresses.peripheral == addresses[1])
    #expect(stage.air.advertised(by: Self.other).map(\.address) == [.fixed(addresses[0])])
    let data = LinkData(isStart: false, [1, 2, 3])
    stage.send(.linkLayer(Self.other, .link(connection.id, .data(data))))
    stage.wait(Self.interval)
    let actions = stage.take()
    #expect(actions.contains(.linkLayer(Self.host, .link(connection.id, .data(data)))))
    #expect(actions.contains(.linkLayer(Self.other, .link(connection.id, .sent))))
  }
}
