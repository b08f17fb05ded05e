import BleperaBluetooth
import BleperaRecording
import TestSupport
import Testing

@testable import BleperaCompare

@Suite("The packets of captures, by the bytes of each format")
struct CaptureReaderTests {
  private typealias Builder = FileBuilder

  private static let reset: [UInt8] = [0x03, 0x0C, 0x00]
  private static let complete: [UInt8] = [0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
  private static let seconds: Int64 = 1_700_000_000_000_000_000

  /// One file of each kind, with packets.
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("pklg", Builder.packetLogger(0, reset) + Builder.packetLogger(1, complete)),
    (
      "btsnoop",
      Builder.btsnoop(1002) + Builder.btsnoopRecord(2, [1] + reset) + Builder.btsnoopRecord(3, [4] + complete)
    ),
    ("pcap", Builder.pcap(251) + Builder.pcapRecord(Builder.onAir()) + Builder.pcapRecord(Builder.onAir())),
    (
      "pcapng",
      Builder.section() + Builder.interface(251) + Builder.enhanced(0, 5, Builder.onAir())
        + Builder.enhanced(0, 6, Builder.onAir())
    ),
  ]

  // MARK: PacketLogger

  @Test("PacketLogger in both byte orders: packets, notes, power, and unknown types skipped", arguments: [false, true])
  func packetLogger(isBigEndian: Bool) {
    func record(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
      Builder.packetLogger(type, data, isBigEndian: isBigEndian)
    }
    let acl: [UInt8] = [0x40, 0x20, 4, 0, 0, 0, 4, 0]
    let file =
      record(0xFC, Array("Product: iPhone18,2\0".utf8)) + record(0, Self.reset) + record(0x21, [1, 2])
      + record(1, Self.complete)
      + record(2, acl) + record(3, acl) + record(0xFB, Array("AP Sleep".utf8)) + record(0x0A, [])
    let (packets, fault) = CaptureReader.packets(of: file)
    #expect(fault == nil)
    #expect(packets.map(\.number) == [1, 2, 4, 5, 6, 7])
    #expect(
      packets.map(\.content) == [
        .note("Product: iPhone18,2"), .hci(HCIPacket(kind: .command, isReceived: false, bytes: Self.reset)),
        .hci(HCIPacket(kind: .event, isReceived: true, bytes: Self.complete)),
        .hci(HCIPacket(kind: .acl, isReceived: false, bytes: acl)),
        .hci(HCIPacket(kind: .acl, isReceived: true, bytes: acl)), .power("AP Sleep"),
      ])
    #expect(packets.allSatisfy { $0.time == Self.seconds + 5_000_000 })
  }

  // MARK: btsnoop

  @Test("btsnoop without H4, with H4, and of the monitor")
  func btsnoop() {
    func read(_ link: UInt32, _ records: [(UInt32, [UInt8])]) -> [CapturedPacket.Content] {
      let file = Builder.btsnoop(link) + records.flatMap { Builder.btsnoopRecord($0.0, $0.1) }
      let (packets, fault) = CaptureReader.packets(of: file)
      #expect(fault == nil && packets.allSatisfy { $0.time == Self.seconds })
      return packets.map(\.content)
    }
    let expected: [CapturedPacket.Content] = [
      .hci(HCIPacket(kind: .command, isReceived: false, bytes: Self.reset)),
      .hci(HCIPacket(kind: .event, isReceived: true, bytes: Self.complete)),
      .hci(HCIPacket(kind: .acl, isReceived: false, bytes: [1])),
      .hci(HCIPacket(kind: .acl, isReceived: true, bytes: [2])),
    ]
    #expect(read(1001, [(2, Self.reset), (3, Self.complete), (0, [1]), (1, [2])]) == expected)
    #expect(read(1002, [(2, [1] + Self.reset), (3, [4] + Self.complete), (0, [2, 1]), (1, [2, 2])]) == expected)
    #expect(
      read(
        2001, [(0, [9]), (2, Self.reset), (3, Self.complete), (4, [1]), (5, [2]), (12, Array("Linux\0".utf8))])
        == expected + [.note("Linux")])
  }

  @Test("a written btsnoop file has the bytes of the format, and is read")
  func writtenBtsnoop() {
    let acl: [UInt8] = [2, 0x40, 0x20, 0, 0]
    let packets: [([UInt8], Bool)] = [
      ([1] + Self.reset, false), ([4] + Self.complete, true), (acl, false), (acl, true),
    ]
    let time = Duration.nanoseconds(Self.seconds) + .microseconds(7)
    let file = BtsnoopFile.header + packets.flatMap { BtsnoopFile.record($0.0, isReceived: $0.1, at: time) }
    let flags: [UInt32] = [2, 3, 0, 1]
    #expect(
      file == Builder.btsnoop(1002)
        + zip(flags, packets).flatMap { Builder.btsnoopRecord($0, $1.0, microseconds: 1_700_000_000_000_007) })
    #expect(CaptureReader.packets(of: file).packets.count == 4)
  }

  // MARK: pcap

  @Test("pcap in both byte orders, with micro- and nanoseconds", arguments: [false, true], [false, true])
  func pcap(isBigEndian: Bool, isNanoseconds: Bool) throws {
    let file =
      Builder.pcap(201, isBigEndian: isBigEndian, isNanoseconds: isNanoseconds)
      + Builder.pcapRecord([0, 0, 0, 0, 1] + Self.reset, isBigEndian: isBigEndian)
      + Builder.pcapRecord([0, 0, 0, 1, 4] + Self.complete, isBigEndian: isBigEndian)
    let (packets, fault) = CaptureReader.packets(of: file)
    #expect(fault == nil)
    #expect(packets.map(\.time) == [Int64](repeating: Self.seconds + (isNanoseconds ? 250 : 250_000), count: 2))
    #expect(
      packets.map(\.content) == [
        .hci(HCIPacket(kind: .command, isReceived: false, bytes: Self.reset)),
        .hci(HCIPacket(kind: .event, isReceived: true, bytes: Self.complete)),
      ])
  }

  @Test("HCI without a direction has that of its kind")
  func h4() {
    let file = Builder.pcap(187) + [[1] + Self.reset, [4] + Self.complete, [2, 9]].flatMap { Builder.pcapRecord($0) }
    #expect(
      CaptureReader.packets(of: file).packets.map(\.content) == [
        .hci(HCIPacket(kind: .command, isReceived: false, bytes: Self.reset)),
        .hci(HCIPacket(kind: .event, isReceived: true, bytes: Self.complete)),
        .hci(HCIPacket(kind: .acl, isReceived: nil, bytes: [9])),
      ])
  }

  private static func air(_ link: UInt32, _ data: [UInt8]...) -> [AirPacket] {
    let file = Builder.pcap(link) + data.flatMap { Builder.pcapRecord($0) }
    let (packets, fault) = CaptureReader.packets(of: file)
    #expect(fault == nil)
    return packets.compactMap { if case .air(let packet) = $0.content { packet } else { nil } }
  }

  @Test("Sniffed packets without a header: the CRC is computed")
  func linkLayer() {
    let packets = Self.air(251, Builder.onAir(), Builder.onAir(isRight: false), Builder.onAir(access: 0x5065_5DAB))
    #expect(packets.map(\.isCRCRight) == [true, false, nil])
    #expect(packets.map(\.pdu) == [[UInt8]](repeating: Builder.pdu, count: 3))
    #expect(packets.allSatisfy { $0.channel == nil && $0.signal == nil })
  }

  @Test(
    "The header of link type 256: the channel from its frequency",
    arguments: [(0, 37), (1, 0), (11, 10), (12, 38), (13, 11), (38, 36), (39, 39)] as [(UInt8, UInt8)])
  func channels(place: UInt8, channel: UInt8) {
    #expect(Self.air(256, Builder.header256(place, 0) + Builder.onAir()).first?.channel == channel)
  }

  @Test("The header of link type 256: signal, CRC and direction count where its flags say so")
  func flags() {
    let packets = Self.air(
      256, Builder.header256(0, 0x0001) + Builder.onAir(), Builder.header256(0, 0x0C03) + Builder.onAir(isRight: false),
      Builder.header256(0, 0x0403) + Builder.onAir(), Builder.header256(9, 0x0103) + Builder.onAir(access: 1),
      Builder.header256(9, 0x0183) + Builder.onAir(access: 1),
      Builder.header256(0, 0x8001) + [0xD6, 0xBE, 0x89, 0x8E, 0] + Builder.onAir().dropFirst(4))
    #expect(packets.map(\.signal) == [nil, -60, -60, -60, -60, nil])
    #expect(packets.map(\.isCRCRight) == [true, true, false, nil, nil, true])
    #expect(packets.map(\.isFromCentral) == [nil, nil, nil, true, false, nil])
    #expect(packets.last?.pdu == Builder.pdu)
  }

  @Test(
    "Nordic's sniffer in three versions, under both link types", arguments: [1, 2, 3] as [UInt8],
    [272, 157] as [UInt32])
  func nordic(version: UInt8, link: UInt32) {
    let duration = UInt32(Builder.pdu.count + 8) * 8
    // Versions 1 and 2 count from the end of the packet before, version 3 has a clock, which wraps.
    let clocks: [UInt32] = version == 3 ? [.max - 99, 900, 2900] : [0, 1000 - duration, 2000 - duration]
    let file =
      Builder.pcap(link) + clocks.flatMap { Builder.pcapRecord(Builder.nordic(version, clock: $0)) }
      + Builder.pcapRecord(Builder.nordic(version, flags: 0, Builder.onAir(isRight: false)))
    let packets = CaptureReader.packets(of: file).packets
    #expect(packets.prefix(3).map { ($0.time - packets[0].time) / 1000 } == [0, 1000, 3000])
    guard case .air(let first)? = packets.first?.content, case .air(let last)? = packets.last?.content else {
      Issue.record("no packets")
      return
    }
    #expect(first.channel == 38 && first.signal == -60 && first.isCRCRight == true && first.pdu == Builder.pdu)
    #expect(last.isCRCRight == false)
  }

  @Test(
    "Nordic's versions 1 and 2 count from the end of a packet, which 2M sends in half the time",
    arguments: [1, 2] as [UInt8])
  func nordicPHY(version: UInt8) {
    let flags: [UInt8] = [0x01, 0x11, 0x01]
    let records = flags.flatMap { Builder.pcapRecord(Builder.nordic(version, flags: $0, clock: 1000)) }
    let times = CaptureReader.packets(of: Builder.pcap(272) + records).packets.map(\.time)
    // 11 bytes of PDU, 7 of access address and CRC, and a preamble of 1 or 2: 19 in 8 us each, 20 in 4.
    #expect(zip(times, times.dropFirst()).map { ($1 - $0) / 1000 } == [1152, 1080])
  }

  @Test("The largest time of a file is followed by Nordic's clock", arguments: [1, 3] as [UInt8])
  func largestTime(version: UInt8) {
    let packets = (0..<2).flatMap { Builder.enhanced(0, UInt64(Int64.max), Builder.nordic(version, clock: $0)) }
    let file = Builder.section() + Builder.interface(272, resolution: 9) + packets
    #expect(CaptureReader.packets(of: file).packets.count == 2)
  }

  @Test("Differences of times have no overflow")
  func bounds() {
    func times(_ file: [UInt8]) -> [Int64] { CaptureReader.packets(of: file).packets.map(\.time) }
    let pcapng = Builder.section() + Builder.interface(251, resolution: 9)
    #expect(times(pcapng + Builder.enhanced(0, UInt64(Int64.max), Builder.onAir())) == [1 << 62])
    let beforeEpoch: UInt64 = 0 &- 1
    #expect(times(Builder.btsnoop(1001) + Builder.btsnoopRecord(0, [1], microseconds: beforeEpoch)) == [0])
  }

  @Test("Nordic's flags of a data packet, and the header before version 1")
  func nordicData() {
    let packets = Self.air(
      272, Builder.nordic(3, flags: 0x07, channel: 5, Builder.onAir(access: 7)),
      Builder.nordic(3, flags: 0x0D, channel: 5, Builder.onAir(access: 7)),
      [0xBE, 0xEF, 0, 0, 0, 0, 6] + Builder.nordic(1, channel: 40).dropFirst(7))
    #expect(packets.map(\.isFromCentral) == [true, false, nil])
    #expect(packets.map(\.isEncrypted) == [true, false, false])
    #expect(packets.map(\.channel) == [5, 5, nil])
    #expect(packets.map(\.pdu) == [[UInt8]](repeating: Builder.pdu, count: 3))
  }

  // MARK: pcapng

  @Test("pcapng: interfaces with their resolutions, and sections in another byte order")
  func pcapng() {
    let file =
      Builder.section() + Builder.interface(251) + Builder.interface(147) + Builder.interface(251, resolution: 9)
      + Builder.enhanced(0, 1_000_001, Builder.onAir()) + Builder.enhanced(1, 0, [1]) + Builder.block(5, [0, 0, 0, 0])
      + Builder.enhanced(2, 1_000_000_001, Builder.onAir())
      + Builder.section(isBigEndian: true) + Builder.interface(251, resolution: 0x8A, isBigEndian: true)
      + Builder.enhanced(0, 1025, Builder.onAir(), isBigEndian: true)
    let (packets, fault) = CaptureReader.packets(of: file)
    #expect(fault == nil)
    #expect(packets.map(\.time) == [1_000_001_000, 1_000_000_001, 1_000_976_563])
    #expect(packets.map(\.number) == [1, 3, 4])
  }

  @Test("the times of an interface have its offset", arguments: [false, true])
  func offset(isBigEndian: Bool) {
    func times(_ offset: Int64, _ units: UInt64) -> [Int64] {
      let file =
        Builder.section(isBigEndian: isBigEndian)
        + Builder.interface(251, offset: offset, isBigEndian: isBigEndian)
        + Builder.enhanced(0, units, Builder.onAir(), isBigEndian: isBigEndian)
      return CaptureReader.packets(of: file).packets.map(\.time)
    }
    #expect(times(1_700_000_000, 1_000_001) == [1_700_000_001_000_001_000])
    #expect(times(-1, 3_000_000) == [2_000_000_000])
    #expect(times(.min, 3_000_000) == [0] && times(.max, .max) == [1 << 62])
  }

  @Test("a pcapng of whose interfaces none can be read is an error; one that can be read is enough")
  func interfaces() {
    let unread = Builder.section() + Builder.interface(147) + Builder.enhanced(0, 0, [1])
    #expect(
      CaptureReader.packets(of: unread).fault?.description
        == "packets of link type 147; 187 and 201 (HCI), 254 (btmon), and 251, 256, 272 and 157 (sniffers) are read")
    #expect(CaptureReader.packets(of: Builder.section()).fault?.description == "a pcapng file without an interface")
    #expect(CaptureReader.packets(of: unread + Builder.interface(251)).fault == nil)
  }

  // MARK: Several adapters

  /// Records of a monitor: adapter, opcode and bytes.
  private static let monitored: [(UInt16, UInt16, [UInt8])] = [
    (0xFFFF, 12, Array("Linux\0".utf8)), (1, 0, [9]), (1, 2, reset), (0, 2, reset), (1, 3, complete), (2, 3, complete),
    (0, 4, [1]), (1, 5, [2]), (2, 18, [3]),
  ]

  @Test(
    "the adapters of btmon's log come one after the other, as if each had its file",
    arguments: ["btsnoop", "pcap", "pcapng", "pcapng with an interface for each"], [false, true])
  func adapters(format: String, isCut: Bool) {
    func records(_ record: (UInt16, UInt16, [UInt8]) -> [UInt8]) -> [UInt8] {
      Self.monitored.flatMap { record($0.0, $0.1, $0.2) }
    }
    func monitor(_ adapter: UInt16, _ opcode: UInt16, _ data: [UInt8]) -> [UInt8] {
      Builder.big(adapter) + Builder.big(opcode) + data
    }
    var file =
      switch format {
      case "btsnoop":
        Builder.btsnoop(2001) + records { Builder.btsnoopRecord(UInt32($0) << 16 | UInt32($1), $2) }
      case "pcap": Builder.pcap(254) + records { Builder.pcapRecord(monitor($0, $1, $2)) }
      case "pcapng":
        Builder.section() + Builder.interface(254) + records { Builder.enhanced(0, 5, monitor($0, $1, $2)) }
      default:
        Builder.section() + (0..<4).flatMap { _ in Builder.interface(254) }
          + records { Builder.enhanced(UInt32(min($0, 3)), 5, monitor(0, $1, $2)) }
      }
    // Packets before a fault are read.
    if isCut { file += [0] }
    let (packets, fault) = CaptureReader.packets(of: file)
    #expect((fault != nil) == isCut)
    #expect(packets.map(\.number) == [1, 3, 5, 8, 4, 7, 6, 9])
    let adapters = packets.map { $0.adapter.map { max($0 >> 16, $0 & 0xFFFF) } }
    #expect(adapters == [nil, 1, 1, 1, 0, 0, 2, 2])
    #expect(packets[0].content == .note("Linux"))
    #expect(packets[4].content == .hci(HCIPacket(kind: .command, isReceived: false, bytes: Self.reset)))
    #expect(packets[7].content == .hci(HCIPacket(kind: .isochronous, isReceived: false, bytes: [3])))
  }

  // MARK: Cost

  @Test(
    "four times the records take about four times as long",
    arguments: ["interfaces", "adapters", "sections", "notes", "pieces", "fault"])
  func cost(kind: String) {
    let growth = growth(from: kind == "interfaces" ? 8000 : 2000) { count in
      var file: [UInt8] =
        switch kind {
        case "interfaces", "sections": Builder.section()
        case "fault": Builder.section() + Builder.interface(201) + Builder.interface(201)
        case "adapters": Builder.btsnoop(2001)
        default: Builder.packetLogger(0xFC, [])
        }
      for number in 0..<count {
        switch kind {
        case "interfaces":
          file += Builder.interface(201) + Builder.enhanced(UInt32(number), 5, [0, 0, 0, 0, 1] + Self.reset)
        case "sections": file += Builder.section() + Builder.interface(201)
        case "fault": file += Builder.enhanced(UInt32(min(number, 1)), 5, [0, 0, 0, 0, 1] + Self.reset)
        case "adapters": file += Builder.btsnoopRecord(UInt32(number) << 16 | 2, Self.reset)
        default: file += Builder.packetLogger(0xFC, Array("Product".utf8))
        }
      }
      if kind == "fault" {
        // The packet is longer than its block.
        file += Builder.block(6, [UInt8](repeating: 0, count: 12) + [UInt8](repeating: 0xFF, count: 100 * count))
      }
      let (packets, fault) = CaptureReader.packets(of: file, pieces: kind == "pieces" ? 1 : 1 << 18)
      let expected = ["sections": 0, "notes": count + 1, "pieces": count + 1][kind] ?? count
      #expect((fault == nil) == (kind != "fault") && packets.count == expected)
    }
    #expect(growth < 8, "\(growth)")
  }

  // MARK: Pieces and faults

  @Test("The pieces in which a file arrives make no difference", arguments: [1, 2, 3, 7, 31])
  func pieces(size: Int) {
    for file in Self.files {
      let whole = CaptureReader.packets(of: file.bytes)
      #expect(whole.packets.count == 2 && whole.fault == nil, "\(file.name)")
      #expect(CaptureReader.packets(of: file.bytes, pieces: size).packets == whole.packets, "\(file.name)")
    }
  }

  @Test("A file that is cut anywhere yields what came before, and says where it ends")
  func cut() {
    for file in Self.files {
      for length in 0..<file.bytes.count {
        let (packets, fault) = CaptureReader.packets(of: Array(file.bytes.prefix(length)))
        #expect(packets.count <= 2)
        // Between two records nothing is missing.
        if let fault { #expect(fault.offset <= length && !fault.reason.isEmpty, "\(file.name) \(length)") }
      }
      let (packets, fault) = CaptureReader.packets(of: Array(file.bytes.dropLast()))
      #expect(packets.count == 1)
      #expect(fault?.reason == "the file ends within its last record", "\(file.name)")
      #expect(fault?.description.hasPrefix("record ") == true)
    }
  }

  @Test(
    "What cannot be read is an error that says why",
    arguments: [
      ([], "the file is empty"), ([0x1F, 0x8B, 8, 0], "gzip"), (Array("GIF89a..".utf8), "not a capture"),
      (FileBuilder.btsnoop(1003), "type 1003"), (FileBuilder.btsnoop(1001, version: 2), "version 2"),
      (FileBuilder.pcap(1), "link type 1;"),
      (FileBuilder.section() + FileBuilder.enhanced(0, 0, []), "interface 0, which the file does not define"),
      (FileBuilder.packetLogger(0, []) + [0xFF, 0, 0, 0] + [UInt8](repeating: 0, count: 9), "not 9 to 1048576"),
      (FileBuilder.section() + FileBuilder.block(6, [0, 0]), "shorter than its parts"),
    ] as [([UInt8], String)])
  func faults(file: [UInt8], reason: String) {
    #expect(CaptureReader.packets(of: file).fault?.description.contains(reason) == true)
  }
}
