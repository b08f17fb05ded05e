import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Channels that a host outside the air opens to a phone")
struct HostChannelTests {
  private static let host = AdapterID(3)
  private static let address = DeviceAddress(bits: 0xF0F1_F2F3_F4F5, isRandom: true)
  private static let interval = Duration.microseconds(7500)
  private static let psm = L2CAPPSM(rawValue: 0x0080)

  private var stage: Stage
  private let link: ConnectionID
  private var opened: ChannelEnd?

  init() throws {
    stage = Stage(stack: StackBehavior())
    stage.send(.added(Self.host, .controller(address: DeviceAddress(bits: 0x00AA_0100_0003), name: "host")))
    stage.send(.host(Stage.phone, .publishChannel(Self.psm, isEncrypted: false)))
    stage.send(.host(Stage.phone, .publishChannel(L2CAPPSM(rawValue: 0x0081), isEncrypted: true)))
    stage.advertise()
    let parameters = LinkParameters(interval: Self.interval, supervisionTimeout: .milliseconds(720))
    stage.send(
      .linkLayer(
        Self.host,
        .attempt(
          ConnectionAttempt(
            to: [Stage.address(Stage.phone)], from: Self.address, ScanWindow(), parameters: parameters))))
    stage.wait(.seconds(2))
    link = try #require(stage.air.connection(between: Stage.phone, and: Self.host)).id
    _ = stage.take()
  }

  /// The frames that arrive at the host after one of its own, each with its channel.
  private mutating func exchange(_ payload: String, on channel: UInt16 = L2CAPFrame.signaling) throws -> [String] {
    let frame = L2CAPFrame(channel: channel, payload: try #require(Hex.bytes(payload)))
    stage.send(.linkLayer(Self.host, .link(link, .data(LinkData(isStart: true, frame.bytes)))))
    return received()
  }

  private mutating func received() -> [String] {
    stage.wait(Self.interval * 6)
    var frames: [String] = []
    for action in stage.take() {
      switch action {
      case .linkLayer(Self.host, .link(_, .data(let data))):
        frames.append(Hex.string([data.bytes[2]]) + " " + Hex.string(Array(data.bytes.dropFirst(4))))
      case .host(_, .channelOpened(let end, _)): opened = end
      default: break
      }
    }
    return frames
  }

  /// Opens a channel with the host's number 0041, sizes of 64 and 34 bytes, and that many credits.
  private mutating func open(credits: String = "0300") throws {
    #expect(try exchange("14010A00800041004000" + "2200" + credits) == ["05 15010A004000F500F70020000000"])
    #expect(opened != nil)
  }

  @Test(
    "A request is refused with the reason of the specification",
    arguments: [
      ("14010A00820041004000220003 00", "0200"), ("14010A0081004100400022000300", "0500"),
      ("14010A0080003F00400022000300", "0900"), ("14010A0080004100160022000300", "0B00"),
      ("14010A0080004100400016000300", "0B00"),
    ])
  func refused(request: String, result: String) throws {
    var test = self
    let request = request.filter { $0 != " " }
    #expect(try test.exchange(request) == ["05 15010A000000000000000000" + result])
  }

  @Test("A second channel of the same number is refused")
  func taken() throws {
    var test = self
    try test.open()
    #expect(try test.exchange("14020A0080004100400022000300") == ["05 15020A0000000000000000000A00"])
  }

  @Test("Data arrives at both ends, an SDU of one frame or of several, and waits for credits")
  func data() throws {
    var test = self
    try test.open()
    let end = try #require(test.opened)
    #expect(try test.exchange("0300010203", on: 0x40).isEmpty)
    #expect(try test.exchange("050004", on: 0x40).isEmpty)
    #expect(try test.exchange("05060708", on: 0x40).isEmpty)
    #expect(test.stage.air.channelInput(end, of: Stage.phone, upTo: 100) == [1, 2, 3, 4, 5, 6, 7, 8])
    test.stage.send(.host(Stage.phone, .writeChannel(end, [UInt8](repeating: 9, count: 100))))
    // Each SDU fills a frame of 34 bytes.
    let full = "41 2000" + String(repeating: "09", count: 32)
    #expect(test.received() == [full, full, full])
    #expect(try test.exchange("160204004100" + "0100") == ["41 0400" + String(repeating: "09", count: 4)])
  }

  @Test("Either side closes the channel")
  func closes() throws {
    var host = self
    try host.open()
    let end = try #require(host.opened)
    #expect(try host.exchange("0609040040004100") == ["05 0709040040004100"])
    #expect(
      host.stage.air.channelInput(end, of: Stage.phone, upTo: 1) == nil
        && host.stage.air.channelRoom(end, of: Stage.phone) == nil)
    host.stage.send(.host(Stage.phone, .closeChannel(end)))
    #expect(host.stage.air.hosts[Stage.phone]?.channels.isEmpty == true)
    #expect(try host.exchange("0609040040004100") == ["05 010906000200" + "40004100"])
    var phone = self
    try phone.open()
    phone.stage.send(.host(Stage.phone, .closeChannel(try #require(phone.opened))))
    let request = try #require(phone.received().first)
    #expect(request.hasPrefix("05 06") && request.hasSuffix("040041004000"))
    _ = try phone.exchange("07" + request.dropFirst(5).prefix(2) + "040041004000")
    #expect(phone.stage.air.hosts[Stage.phone]?.channels.isEmpty == true)
  }

  @Test(
    "A host that breaks the rules loses the channel, and the connection stays",
    arguments: ["F600" + "01", "020001" + "0203", "01", ""])
  func broken(frame: String) throws {
    var test = self
    try test.open()
    let frames = try test.exchange(frame, on: 0x40)
    #expect(frames.count == 1 && frames[0].hasPrefix("05 06"))
    #expect(test.stage.air.connections[link] != nil)
    var other = self
    try other.open()
    #expect(try other.exchange("160204004100" + "FFFF").first?.hasPrefix("05 06") == true)
  }

  @Test("A credit packet of zero is ignored")
  func zeroCredits() throws {
    var test = self
    try test.open()
    #expect(try test.exchange("160204004100" + "0000").isEmpty)
    test.stage.send(.host(Stage.phone, .writeChannel(try #require(test.opened), [7])))
    #expect(test.received() == ["41 010007"])
  }

  @Test("Empty SDUs give their credits back, also where the phone has closed its end")
  func emptySDUs() throws {
    for isClosing in [false, true] {
      var test = self
      try test.open(credits: isClosing ? "0000" : "0300")
      let end = try #require(test.opened)
      if isClosing {
        test.stage.send(.host(Stage.phone, .writeChannel(end, [7])))
        test.stage.send(.host(Stage.phone, .closeChannel(end)))
      }
      var credits = 0
      for _ in 0..<100 { credits += try test.exchange("0000", on: 0x40).count { $0.hasPrefix("05 16") } }
      #expect(credits == 6)
      guard !isClosing else { continue }
      _ = try test.exchange("0300010203", on: 0x40)
      #expect(test.stage.air.channelInput(end, of: Stage.phone, upTo: 10) == [1, 2, 3])
    }
  }

  @Test("A number can be used again while the owner of its former channel has not closed it")
  func usedAgain() throws {
    var test = self
    try test.open()
    let former = try #require(test.opened)
    #expect(try test.exchange("0300010203", on: 0x40).isEmpty)
    #expect(try test.exchange("0609040040004100") == ["05 0709040040004100"])
    #expect(try test.exchange("140A0A0080004100400022000300") == ["05 150A0A004100F500F70020000000"])
    // Credits are for the new one.
    _ = try test.exchange("160B04004100" + "0100")
    let credits = test.stage.air.hosts[Stage.phone]?.channels.mapValues(\.credits)
    #expect(credits?[former] == 3 && credits?.values.max() == 4)
    #expect(test.stage.air.channelInput(former, of: Stage.phone, upTo: 10) == [1, 2, 3])
  }
}
