import BleperaBluetooth
import Testing

@testable import BleperaAir
@testable import BleperaHost

@Suite("Packets of the link layer")
struct LinkLayerPacketTests {
  private static let box = DeviceAddress(bits: 0x00AA_0100_0042)
  private static let phone = DeviceAddress(bits: 0x5A01_0203_0405)
  private static let data: [UInt8] = [0x02, 0x01, 0x06]

  private static func packets(
    _ scanResponse: [UInt8] = [], isConnectable: Bool = true, isExtended: Bool = false, data: [UInt8] = data
  ) -> AdvertisingPackets {
    AdvertisingPackets(
      data: data, scanResponse: scanResponse, isConnectable: isConnectable, isExtended: isExtended,
      interval: .milliseconds(100))
  }

  @Test(
    "An advertising event has the PDUs of Vol 6, Part B, 2.3.1",
    arguments: [
      (packets(), box, ["00 09 42000001AA00 020106"]),
      (packets(), phone, ["40 09 05040302015A 020106"]),
      (packets([1, 2]), phone, ["40 09 05040302015A 020106"]),
      (packets(isConnectable: false), phone, ["42 09 05040302015A 020106"]),
      (packets([1, 2], isConnectable: false), phone, ["46 09 05040302015A 020106"]),
      (packets(isExtended: true), phone, ["07 07 46 18 A707 141400", "47 0D 49 09 05040302015A A707 020106"]),
      (
        packets(isConnectable: false, isExtended: true), box,
        ["07 07 06 18 A707 141400", "07 0D 09 09 42000001AA00 A707 020106"]
      ),
      (
        packets([1, 2], isConnectable: false, isExtended: true), box,
        ["07 07 86 18 A707 141400", "07 0D 89 09 42000001AA00 A707 020106"]
      ),
    ])
  func event(packets: AdvertisingPackets, from address: DeviceAddress, expected: [String]) {
    let event = AdvertisingPDU.event(packets, from: address, on: .second, signal: -60)
    #expect(event.map { Hex.string($0.pdu) } == expected.map(Self.joined))
    #expect(event.map(\.kind) == Array([.advertising(.second), .auxiliary].prefix(expected.count)))
    #expect(event.allSatisfy { $0.signal == -60 })
  }

  @Test("Extended data that is too long for one PDU continues in a second one")
  func chain() {
    let data = (0..<251).map { UInt8($0) }
    let event = AdvertisingPDU.event(
      Self.packets(isConnectable: false, isExtended: true, data: data), from: Self.box, on: .second, signal: nil)
    #expect(event.map(\.kind) == [.advertising(.second), .auxiliary, .auxiliary])
    // The lengths of the PDU and of the extended header; AdvA, ADI and AuxPtr, then ADI alone.
    #expect(event[1].pdu.prefix(4) == [0x07, 255, 12, 0x19])
    #expect(event[2].pdu.prefix(4) == [0x07, 13, 3, 0x08])
    #expect(event[1].pdu.dropFirst(15) + event[2].pdu.dropFirst(6) == data[...])
    #expect(
      AdvertisingPDU.event(
        Self.packets(isExtended: true, data: data.dropLast(6)), from: Self.box, on: .second, signal: nil
      ).count
        == 2)
  }

  @Test("A scan has a request and a response", arguments: [false, true])
  func scan(isExtended: Bool) {
    let scan = AdvertisingPDU.scan(
      Self.packets([0x02, 0x0A, 0x0C], isExtended: isExtended), of: Self.phone, by: Self.box, on: .second, signal: -60)
    let response = isExtended ? "47 0B 07 01 05040302015A 020A0C" : "44 09 05040302015A 020A0C"
    #expect(
      scan.map { Hex.string($0.pdu) } == ["83 0C 42000001AA00 05040302015A", response].map(Self.joined))
    #expect(scan.map(\.signal) == [nil, -60])
    #expect(scan.allSatisfy { $0.kind == (isExtended ? .auxiliary : .advertising(.second)) })
  }

  @Test("CONNECT_IND has the connection's parameters, of Vol 6, Part B, 2.3.3.1")
  func connect() {
    let central = AirAdapter(AdapterID(0), AdapterDescription(address: Self.box, name: ""))
    let peripheral = AirAdapter(AdapterID(1), AdapterDescription(address: Self.phone, name: ""))
    let parameters = LinkParameters(
      interval: .milliseconds(30), supervisionTimeout: AdapterDescription.iPhoneSupervisionTimeout)
    let connection = AirConnection(
      id: ConnectionID(7), central: central, peripheral: peripheral, advertisement: AdvertisementID(1),
      address: Self.phone, parameters: parameters, at: .zero)
    let link = LinkAddress(of: 7)
    let packet = AdvertisingPDU.connect(connection, on: .second, link: link)
    // Window 1.25 ms, offset 0, interval 24 · 1.25 ms, latency 0, timeout 72 · 10 ms, all channels, hop 5.
    let expected =
      "85 22 42000001AA00 05040302015A" + Hex.string(LittleEndian.bytes(link.accessAddress))
      + Hex.string(Array(LittleEndian.bytes(link.initialCRC).prefix(3))) + "01 0000 1800 0000 4800 FFFFFFFF1F 05"
    #expect(Hex.string(packet.pdu) == Self.joined(expected))
    #expect(packet.accessAddress == 0x8E89_BED6)
  }

  @Test("A packet ends with its CRC, which Wireshark has found to be right")
  func crc() {
    let pdu = "40 18 9360B76FB374 02011A 020A0C 0BFF4C001006071EA3DD89E0"
    let packet = LinkLayerPacket(.advertising(.first), Hex.bytes(Self.joined(pdu)) ?? [])
    #expect(Hex.string(packet.bytes) == Self.joined("D6BE898E \(pdu) D2CC28"))
  }

  @Test(
    "An access address keeps to Vol 6, Part B, 2.1.2",
    arguments: [
      (0x8E89_BED6, false), (0x8E89_BED7, false), (0x5555_5555, false), (0x4B4B_4B4B, false),
      // Seven equal bits, then six.
      (0x4B98_F780 as UInt32, false), (0x4B98_F7C0, true),
      // One change in the first six bits, then two.
      (0xF398_B030, false), (0xE798_B030, true),
      (0x4B98_B030, true),
    ] as [(UInt32, Bool)])
  func accessAddress(_ address: UInt32, isValid: Bool) {
    #expect(LinkAddress.isValid(address) == isValid)
  }

  @Test("Each connection has an access address of its own, always the same")
  func accessAddresses() {
    let links = (0..<2000).map { LinkAddress(of: $0) }
    #expect(links.allSatisfy { LinkAddress.isValid($0.accessAddress) && $0.initialCRC <= 0xFF_FFFF })
    #expect(Set(links.map(\.accessAddress)).count == links.count)
    #expect(links == (0..<2000).map { LinkAddress(of: $0) })
  }

  private static func joined(_ text: String) -> String { text.filter { $0 != " " } }
}
