import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("The host of a device")
struct HostStackTests {
  private static let link = ConnectionID(1)
  private static let peer = DeviceAddress(bits: 2)

  private var host: HostStack

  init() {
    host = .box(StackBehavior())
  }

  private mutating func connect(isCentral: Bool) {
    host.open(Self.link, .test(isCentral: isCentral), random: .seeded(SplitMix64(seed: 1)))
  }

  private mutating func receive(_ payload: [UInt8], on channel: UInt16 = L2CAPFrame.attributes) {
    let frame = L2CAPFrame(channel: channel, payload: payload)
    host.receive(.data(LinkData(isStart: true, frame.bytes)), over: Self.link)
  }

  /// The packets that the host has sent, and its request to the application.
  private mutating func outputs() -> (sent: [String], request: AttributeRequestID?) {
    var sent: [String] = []
    var request: AttributeRequestID?
    for output in host.takeOutputs() {
      switch output {
      case .link(_, .data(let data)): sent.append(Hex.string(Array(data.bytes.dropFirst(4))))
      case .action(.read(let id, _, _)): request = id
      default: break
      }
    }
    return (sent, request)
  }

  @Test(
    "Several values are read one after the other, and the first error ends it",
    arguments: [
      ("0E 0300 0201 0401", "0F 626F78 07 0809"), ("20 0300 0201 0401", "21 0300626F78 010007 02000809"),
      ("0E 0300 0101 0201", "0F 626F78 020201372A 07"), ("0E 0300 0999", "01 0E 0999 01"), ("0E 0300", "01 0E 0000 04"),
      ("20 0201 0601", "01 20 0601 02"),
    ])
  func multiple(request: String, response: String) throws {
    var test = self
    let uuid = BluetoothUUID(0x2A37 as UInt16)
    let rows = [(0, AttributeFlags.read), (1, AttributeFlags.read), (2, AttributeFlags.notify)]
    let characteristics = rows.map { PublishedCharacteristic(index: $0.0, uuid: uuid, flags: $0.1) }
    let service = PublishedService(
      uuid: BluetoothUUID(0x180D as UInt16), handle: .exactly(0x100), characteristics: characteristics)
    test.host.publish(ApplicationID(1), [service])
    test.connect(isCentral: false)
    _ = test.outputs()
    test.receive(try #require(Hex.bytes(request.filter { $0 != " " })))
    var sent: [String] = []
    var answers: [[UInt8]] = [[7], [8, 9]]
    while true {
      let (new, asked) = test.outputs()
      sent += new
      guard let asked else { break }
      test.host.answer(asked, .success(answers.removeFirst()))
    }
    #expect(sent == [response.filter { $0 != " " }])
  }

  @Test(
    "A phone that is the peripheral reads the primary services of its central",
    arguments: [
      (["031700", "01100100000A"], ["02", "10"]), (["0110010006"], ["02", "10"]),
      (["03B900", "1106010005000018060009000118", "01100A000A"], ["02", "10", "10"]),
      (["03B900", "11060100050000180600FFFF0118"], ["02", "10"]),
      // Handles that go back.
      (["03B900", "1106050009000018", "110601000200001800"], ["02", "10", "10"]),
    ])
  func discovers(answers: [String], requests: [String]) throws {
    var test = self
    test.connect(isCentral: false)
    test.host.fire(.discoveryBegins(Self.link))
    var sent: [String] = []
    for answer in answers {
      sent += test.outputs().sent
      test.receive(try #require(Hex.bytes(answer)))
    }
    sent += test.outputs().sent
    #expect(sent.map { String($0.prefix(2)) } == requests)
    test.host.disconnected(Self.link, because: .userTerminated)
    test.host.fire(.discoveryBegins(Self.link))
    #expect(test.outputs().sent.isEmpty)
  }

  @Test(
    "A phone requests the ATT_MTU when its controller has exchanged the data length, which decides the value",
    arguments: [(251, 251, "020502", 512), (251, 27, "02B900", 185), (27, 251, "02B900", 185)])
  func dataLength(sent: Int, received: Int, request: String, mtu: Int) {
    var stack = StackBehavior()
    (stack.client, stack.shortPacketMTU) = (.phone, 185)
    var test = self
    test.host = .box(stack)
    test.connect(isCentral: true)
    test.host.perform(OperationID(1), .read(0x12), over: Self.link)
    test.host.receive(.dataLength(sent: sent, received: received), over: Self.link)
    #expect(test.outputs().sent.isEmpty)
    test.host.receive(.dataLengthAnswered, over: Self.link)
    #expect(test.outputs().sent == [request])
    // The exchange that has begun has the value of its request.
    test.host.receive(.dataLength(sent: 251, received: 251), over: Self.link)
    test.receive([0x03, 0x00, 0x02])
    #expect(test.host.links[Self.link]?.mtu == mtu)
    #expect(test.outputs().sent == ["0A1200"])
  }

  /// Connects as a central with an ATT_MTU of 23, and takes what it has sent.
  private mutating func connect(as client: StackBehavior.Client) {
    var stack = StackBehavior()
    stack.client = client
    host = .box(stack)
    connect(isCentral: true)
    if client == .bluetoothd {
      host.exchangeMTU(knowing: [], over: Self.link)
      host.discover(over: Self.link)
    }
    receive([0x03, 23, 0])
    _ = outputs()
  }

  @Test(
    "A response that no server gives ends each operation of a phone with an error",
    arguments: [
      (.characteristics(0x10...0x1F), "0907 1100 10 1200 372A 0000 10 1500 382A"),
      (.characteristics(0x10...0x1F), "0907 1300 10 1400 372A 1100 10 1200 382A"),
      (.characteristics(0x10...0x1F), "0907 1100 10 1200 372A 1100 10 1200 372A"),
      (.characteristics(0x10...0x1F), "0907 0F00 10 1100 372A"),
      (.characteristics(0x10...0x1F), "0907 2000 10 2100 372A"),
      // The length is no multiple of that of a row; a response of another kind.
      (.characteristics(0x10...0x1F), "0907 1100 10 1200"), (.characteristics(0x10...0x1F), "0501 1100 0229"),
      (.descriptors(0x13...0x1F), "0501 1400 0229 1400 0129"), (.descriptors(0x13...0x1F), "0501 0000 0229"),
      (.descriptors(0x13...0x1F), "0501"),
      (.includedServices(0x10...0x1F), "0908 2000 3000 3500 0F18"),
      (.services, "1106 1000 1F00 0D18 1F00 2F00 0F18"), (.services, "1106 0000 1F00 0D18"),
      (.services, "1106 1000 0F00 0D18"), (.readByType(AttributeTypes.databaseHash), "0904 0000 0102"),
      (.read(0x12), "13"), (.read(0x12, offset: 1), "0B01"),
      (.write(0x12, [1]), "0B"),
    ] as [(GATTProcedure, String)])
  func impossible(operation: GATTProcedure, response: String) throws {
    var test = self
    test.connect(as: .phone)
    test.host.perform(OperationID(1), operation, over: Self.link)
    #expect(test.outputs().sent.count == 1)
    test.receive(try #require(Hex.bytes(response.filter { $0 != " " })))
    let results = test.host.takeOutputs().compactMap { output in
      if case .action(.completed(_, let result)) = output { result } else { nil }
    }
    #expect(results == [.failure(.att(.unlikelyError))])
    // It asks for more after that.
    test.host.perform(OperationID(2), .read(0x12), over: Self.link)
    #expect(test.outputs().sent == ["0A1200"])
  }

  @Test(
    "A central that discovers everything has resolved the services then, of which there are none",
    arguments: [StackBehavior.Client.discovering, .bluetoothd],
    [
      ["1106 1000 1F00 0D18 1800 1F00 0F18"], ["1106 1000 1F00 0D18", "01 10 2000 0A", "01 10 0100 10", "0501 0000"],
      [
        "1106 1000 1F00 0D18", "01 10 2000 0A", "01 10 0100 0A", "01 08 1000 0A",
        "0907 1100 10 1200 372A 0000 10 1500 382A",
      ], ["01 10 0100 0E"],
    ])
  func unresolved(client: StackBehavior.Client, responses: [String]) throws {
    var test = self
    test.connect(as: client)
    for (index, response) in responses.enumerated() {
      test.receive(try #require(Hex.bytes(response.filter { $0 != " " })))
      let isResolved = test.host.takeOutputs().contains { output in
        if case .action(.servicesResolved) = output { true } else { false }
      }
      #expect(isResolved == (index == responses.count - 1))
    }
    #expect(test.host.links[Self.link]?.services == [])
  }

  @Test("A peer may send anything", arguments: [true, false], UInt64(1)...4)
  func anything(isCentral: Bool, seed: UInt64) {
    var test = self
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      test.connect(isCentral: isCentral)
      if !isCentral { test.host.fire(.discoveryBegins(Self.link)) }
      test.host.openChannel(OperationID(1), over: Self.link, L2CAPPSM(rawValue: 0x80))
      for _ in 0..<30 {
        let channels: [UInt16] = [L2CAPFrame.attributes, L2CAPFrame.signaling, L2CAPFrame.security, 0x0040]
        let channel = channels.randomElement(using: &random) ?? 0
        var payload = (0..<Int.random(in: 0...24, using: &random)).map { _ in
          // Borders of handles and lengths are frequent.
          let bytes: [UInt8] = [0, 1, 2, 4, 16, 0xFF, .random(in: 0...255, using: &random)]
          return bytes.randomElement(using: &random) ?? 0
        }
        if channel == L2CAPFrame.attributes, !payload.isEmpty {
          payload[0] = ATTOpcode.allCases.randomElement(using: &random)?.rawValue ?? 0
        }
        test.receive(payload, on: channel)
        _ = test.host.takeOutputs()
      }
      test.host.disconnected(Self.link, because: .userTerminated)
      #expect(test.host.links.isEmpty && test.host.channels.isEmpty)
      _ = test.host.takeOutputs()
    }
  }

  @Test("A response to another request fails the request that waits, once", arguments: ["13", "010C030002", "0503"])
  func mismatch(response: String) {
    var test = HostBench(.phone)
    test.isSilent = true
    test.host.perform(OperationID(1), .read(3), over: HostBench.link)
    test.receive("1B030001")
    #expect(test.results.isEmpty)
    test.receive(response)
    #expect(test.results == [.failure(.att(.unlikelyError))])
    test.receive("0B07")
    #expect(test.results.count == 1)
  }

  /// For two prepared writes of the same attribute, or of 0202 and 0205.
  private static let executions: [(joins: Bool, second: String, error: UInt8, response: String)] = [
    (false, "0202", 0x80, "0118020280"), (false, "0502", 0x80, "0118020280"), (false, "0202", 0x0E, "011802020E"),
    (false, "0202", 0x07, "0118000007"), (false, "0202", 0x0D, "011800000D"),
    (true, "0202", 0x80, "0118020280"), (true, "0202", 0x07, "0118020207"), (true, "0502", 0x80, "0118020206"),
  ]

  @Test("The error of an Execute Write Request names the attribute that caused it", arguments: executions)
  func execution(joins: Bool, second: String, error: UInt8, response: String) {
    var stack = StackBehavior()
    stack.joinsPreparedWrites = joins
    var test = HostBench(stack, isCentral: false)
    test.receive("16 0202 0000 01")
    test.receive("16 \(second) 0100 02")
    test.receive("1801")
    if let request = test.request { test.host.answer(request, .failure(ATTError(rawValue: error))) }
    test.run()
    #expect(test.sent.last == response)
    // The next error names no attribute of this one.
    test.receive("1802")
    #expect(test.sent.last == "0118000004")
  }

  private static let bond = SecurityBond(
    asCentral: .init(value: 7), asPeripheral: nil, keySize: 16, isAuthenticated: false, isSecureConnections: true)

  @Test("A link whose bond is removed while its key encrypts continues, and can be secured again")
  func removedBond() {
    var test = HostBench(.discovering)
    test.isSilent = true
    test.host.bonds[Self.peer] = Self.bond
    test.host.perform(OperationID(1), .read(3), over: HostBench.link)
    test.receive("010A03000F")
    #expect(test.linkRequests.count == 1 && test.host.links[HostBench.link]?.securing.isEncrypting == true)
    test.host.removeBond(with: Self.peer)
    test.host.receive(.encrypted(isRefresh: false), over: HostBench.link)
    test.receive("0B07")
    #expect(test.results == [.success(.value([7]))])
    #expect(!test.actions.contains(.secured(HostBench.link)))
    test.host.perform(OperationID(2), .read(3), over: HostBench.link)
    test.receive("010A030005")
    #expect(
      test.sent.last?.hasPrefix("01") == true && test.host.links[HostBench.link]?.securing.manager.isPairing == true)
  }

  @Test("A Security Request that the central answers with the key of a bond ends the peripheral's pairing")
  func answeredByKey() {
    var test = HostBench(StackBehavior.Client.bluetoothd, isCentral: false)
    test.host.pair(OperationID(1), over: HostBench.link)
    test.run()
    #expect(test.sent.last?.hasPrefix("0B") == true)
    test.host.receive(.encrypted(isRefresh: false), over: HostBench.link)
    test.wait(.seconds(60))
    #expect(test.results == [.success(.done)] && test.ends.isEmpty)
  }
}
