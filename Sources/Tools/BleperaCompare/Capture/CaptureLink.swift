import BleperaBluetooth

/// The link type of a pcap file, which says whether its packets are HCI or packets that a sniffer received.
struct CaptureLink: Sendable {
  private enum Kind: UInt32 {
    case h4 = 187
    case h4WithDirection = 201
    /// btmon's records of several adapters.
    case monitor = 254
    case linkLayer = 251
    case linkLayerWithHeader = 256
    case nordic = 272
    /// Nordic's packets in files of earlier sniffers.
    case user = 157
  }

  private let kind: Kind
  /// The time in nanoseconds from which a Nordic sniffer counts to the next packet: the start of the previous packet in
  /// version 3, otherwise the end. `lastClock` is the clock of the previous packet, in microseconds.
  private var lastTime: Int64?
  private var lastClock: UInt32 = 0

  /// Returns nil for a link type that is not supported.
  init?(_ number: UInt32) {
    guard let kind = Kind(rawValue: number) else { return nil }
    self.kind = kind
  }

  /// The message for a link type that is not supported.
  static func refusal(_ number: UInt32) -> String {
    "packets of link type \(number); 187 and 201 (HCI), 254 (btmon), and 251, 256, 272 and 157 (sniffers) are read"
  }

  /// - Parameter time: the file's time of the packet, in nanoseconds since 1970.
  mutating func record(_ data: ArraySlice<UInt8>, _ time: Int64) -> FileRecord {
    var bytes = FileBytes(Array(data))
    do throws(FileBytes.Fault) {
      switch kind {
      case .h4: return FileRecord(packet: HCIPacket(h4: data, isReceived: nil).map { (time, .hci($0)) })
      case .h4WithDirection:
        let isReceived = try bytes.uint32(isBigEndian: true) & 1 == 1
        return FileRecord(packet: HCIPacket(h4: data.dropFirst(4), isReceived: isReceived).map { (time, .hci($0)) })
      case .monitor:
        let (adapter, opcode) = (try bytes.uint16(isBigEndian: true), try bytes.uint16(isBigEndian: true))
        let content = CapturedPacket.Content(monitor: opcode, data.dropFirst(4))
        return FileRecord(packet: content.map { (time, $0) }, adapter: Int(adapter))
      case .linkLayer: return FileRecord(packet: (time, .air(try Self.packet(&bytes, .unknown))))
      case .linkLayerWithHeader: return FileRecord(packet: (time, .air(try Self.withHeader(&bytes))))
      case .nordic, .user: return try nordic(&bytes, time)
      }
    } catch {
      // The packet is truncated, or comes from an unknown sniffer.
      return .skipped
    }
  }

  /// Reads a packet of LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR.
  private static func withHeader(_ bytes: inout FileBytes) throws(FileBytes.Fault) -> AirPacket {
    let place = try bytes.uint8()
    let signal = Int8(bitPattern: try bytes.uint8())
    try bytes.skip(6)
    let flags = try bytes.uint16(isBigEndian: false)
    var head = AirPacket.unknown
    head.channel = channel(at: place)
    head.signal = flags & 0x0002 != 0 ? signal : nil
    head.isCRCRight = flags & 0x0400 != 0 ? flags & 0x0800 != 0 : nil
    head.isFromCentral = [2: true, 3: false][flags >> 7 & 7]
    // A MIC that was checked (0x1000) belongs to a packet that the sniffer has decrypted, or tried to.
    head.isEncrypted = flags & 0x1000 != 0 && flags & 0x0008 == 0
    return try packet(&bytes, head, isCoded: flags >> 14 == 2)
  }

  /// The index of the channel whose frequency is 2402 MHz plus `place` times 2 MHz.
  private static func channel(at place: UInt8) -> UInt8? {
    switch place {
    case 0: 37
    case 1...11: place - 1
    case 12: 38
    case 13...38: place - 2
    case 39: 39
    default: nil
    }
  }

  /// Reads a packet of nRF Sniffer for Bluetooth LE. A header has a version from 1 to 3, or is of 0.9.7 (BE EF).
  private mutating func nordic(_ bytes: inout FileBytes, _ time: Int64) throws(FileBytes.Fault) -> FileRecord {
    let isOld = try bytes.peek(2).elementsEqual([0xBE, 0xEF])
    let version: UInt8
    if isOld {
      version = 1
      try bytes.skip(7)
    } else {
      try bytes.skip(3)
      version = try bytes.uint8()
      try bytes.skip(3)
      guard (1...3).contains(version) else { return .skipped }
    }
    guard try bytes.uint8() == 10 else { return .skipped }
    let flags = try bytes.uint8()
    var head = AirPacket.unknown
    let channel = try bytes.uint8()
    head.channel = channel < 40 ? channel : nil
    head.signal = Int8(clamping: -Int(try bytes.uint8()))
    try bytes.skip(2)
    let clock = try bytes.uint32(isBigEndian: false)
    head.isCRCRight = flags & 0x01 != 0
    var packet = try Self.packet(&bytes, head, isCoded: flags >> 4 & 7 == 2)
    if packet.accessAddress != AccessAddress.advertising {
      packet.isFromCentral = flags & 0x02 != 0
      packet.isEncrypted = flags & 0x04 != 0 && flags & 0x08 == 0
    }
    // Preamble, access address and CRC count too; the preamble of 2M is longer. Versions 1 and 2 have no coded PHY.
    let duration = flags >> 4 & 7 == 1 ? (packet.pdu.count + 9) * 4000 : (packet.pdu.count + 8) * 8000
    let start = lastTime.map { $0 &+ Int64(version == 3 ? clock &- lastClock : clock) * 1000 } ?? time
    lastTime = version == 3 ? start : start &+ Int64(duration)
    lastClock = clock
    return FileRecord(packet: (start, .air(packet)))
  }

  /// Reads the access address, the PDU and the CRC.
  private static func packet(
    _ bytes: inout FileBytes, _ head: AirPacket, isCoded: Bool = false
  ) throws(FileBytes.Fault) -> AirPacket {
    var packet = head
    packet.accessAddress = try bytes.uint32(isBigEndian: false)
    if isCoded { try bytes.skip(1) }
    let length = Int(Array(try bytes.peek(2))[1])
    packet.pdu = Array(try bytes.take(2 + length))
    if packet.isCRCRight == nil, packet.accessAddress == AccessAddress.advertising, bytes.left >= 3 {
      let sent: UInt32 = LittleEndian.number(try bytes.take(3))
      packet.isCRCRight = sent == LinkLayerCRC.value(of: packet.pdu, initial: LinkLayerCRC.advertising)
    }
    return packet
  }
}

extension AirPacket {
  /// A packet for files that have no channel, signal or CRC check.
  fileprivate static let unknown = AirPacket(channel: nil, signal: nil, accessAddress: 0, pdu: [], isCRCRight: nil)
}
