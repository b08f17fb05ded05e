import BleperaBluetooth

/// pcap files, in either byte order, with times of micro- or nanoseconds.
struct PcapFormat: Sendable {
  private let isBigEndian: Bool
  private let isNanoseconds: Bool
  private var link: CaptureLink

  init(_ bytes: inout FileBytes) throws(FileBytes.Fault) {
    let magic = try bytes.take(4)
    isBigEndian = magic.first == 0xA1
    isNanoseconds = magic.contains(0x4D)
    try bytes.skip(16)
    let number = try bytes.uint32(isBigEndian: isBigEndian)
    guard let link = CaptureLink(number & 0xFFFF) else { throw .invalid(CaptureLink.refusal(number & 0xFFFF)) }
    self.link = link
  }

  mutating func next(_ bytes: inout FileBytes) throws(FileBytes.Fault) -> FileRecord {
    let seconds = Int64(try bytes.uint32(isBigEndian: isBigEndian))
    let fraction = Int64(try bytes.uint32(isBigEndian: isBigEndian))
    let length = Int(try bytes.uint32(isBigEndian: isBigEndian))
    try bytes.skip(4)
    guard length <= CaptureReader.longestRecord else {
      throw .invalid("the record says \(length) bytes; the most is \(CaptureReader.longestRecord)")
    }
    let data = try bytes.take(length)
    return link.record(data, seconds * 1_000_000_000 + fraction * (isNanoseconds ? 1 : 1000))
  }
}

/// pcapng files, which consist of blocks; the blocks of sections and interfaces describe the packets.
struct PcapngFormat: Sendable {
  private struct Interface: Sendable {
    /// The link type; nil if its packets are not supported, and skipped.
    var link: CaptureLink?
    /// The number of time units in a second.
    var resolution: UInt64 = 1_000_000
    /// The seconds that are added to all times of the interface.
    var offset: Int64 = 0
  }

  private enum Block {
    static let section: UInt32 = 0x0A0D_0D0A
    static let interface: UInt32 = 1
    static let simple: UInt32 = 3
    static let enhanced: UInt32 = 6
  }

  private var isBigEndian = false
  private var interfaces: [Interface] = []
  /// The reason that no packet of the file is read; nil once an interface has a supported link type.
  private(set) var refusal: String? = "a pcapng file without an interface"

  mutating func next(_ bytes: inout FileBytes) throws(FileBytes.Fault) -> FileRecord {
    let head = try bytes.peek(12)
    let first = head.startIndex
    if head.prefix(4).elementsEqual([0x0A, 0x0D, 0x0D, 0x0A]) {
      switch Array(head[(first + 8)...]) {
      case [0x1A, 0x2B, 0x3C, 0x4D]: isBigEndian = true
      case [0x4D, 0x3C, 0x2B, 0x1A]: isBigEndian = false
      default: throw .invalid("a section does not say its byte order")
      }
    }
    let type = try bytes.uint32(isBigEndian: isBigEndian)
    let length = Int(try bytes.uint32(isBigEndian: isBigEndian))
    guard (12...CaptureReader.longestRecord).contains(length), length.isMultiple(of: 4) else {
      throw .invalid("the block says \(length) bytes, not a multiple of 4 from 12 to \(CaptureReader.longestRecord)")
    }
    var body = FileBytes(Array(try bytes.take(length - 12)))
    try bytes.skip(4)
    do throws(FileBytes.Fault) {
      return try record(type, &body)
    } catch {
      // The whole block has been read, so more bytes would not help.
      if case .incomplete = error { throw .invalid("the block is shorter than its parts") }
      throw error
    }
  }

  private mutating func record(_ type: UInt32, _ body: inout FileBytes) throws(FileBytes.Fault) -> FileRecord {
    switch type {
    case Block.section:
      interfaces = []
      return .uncounted
    case Block.interface:
      interfaces.append(try interface(&body))
      return .uncounted
    case Block.enhanced:
      let number = Int(try body.uint32(isBigEndian: isBigEndian))
      let high = UInt64(try body.uint32(isBigEndian: isBigEndian))
      let low = UInt64(try body.uint32(isBigEndian: isBigEndian))
      let length = Int(try body.uint32(isBigEndian: isBigEndian))
      try body.skip(4)
      guard interfaces.indices.contains(number) else {
        throw .invalid("the packet names interface \(number), which the file does not define")
      }
      let units = high << 32 | low
      let resolution = interfaces[number].resolution
      let (whole, part) = units.quotientAndRemainder(dividingBy: resolution)
      let fraction = Double(part) / Double(resolution) * 1_000_000_000
      let offset = min(max(interfaces[number].offset, -Self.latest), Self.latest)
      let seconds = min(max(Int64(min(whole, UInt64(Self.latest))) + offset, 0), Self.latest)
      guard
        var record = interfaces[number].link?.record(
          try body.take(length), seconds * 1_000_000_000 + Int64(fraction.rounded()))
      else { return .skipped }
      record.adapter |= number << 16
      return record
    // A simple packet has no time, and all measurements need times.
    case Block.simple: return .skipped
    default: return .uncounted
    }
  }

  /// The latest time of a packet, in seconds since 1970.
  private static let latest = CaptureReader.latestTime / 1_000_000_000 + 1

  private mutating func interface(_ body: inout FileBytes) throws(FileBytes.Fault) -> Interface {
    let number = UInt32(try body.uint16(isBigEndian: isBigEndian))
    try body.skip(6)
    var interface = Interface(link: CaptureLink(number))
    if refusal != nil { refusal = interface.link == nil ? CaptureLink.refusal(number) : nil }
    while body.left >= 4 {
      let code = try body.uint16(isBigEndian: isBigEndian)
      let length = Int(try body.uint16(isBigEndian: isBigEndian))
      let value = try body.take(length)
      try body.skip(min(body.left, (4 - length % 4) % 4))
      // if_tsoffset and if_tsresol of the specification (4.2).
      if code == 14, value.count == 8 {
        let number: Int64 = LittleEndian.number(value)
        interface.offset = isBigEndian ? number.byteSwapped : number
      }
      guard code == 9, let exponent = value.first else { continue }
      guard exponent & 0x7F < (exponent & 0x80 == 0 ? 20 : 64) else { throw .invalid("times of an unknown resolution") }
      interface.resolution =
        exponent & 0x80 == 0 ? (0..<exponent).reduce(1) { value, _ in value * 10 } : 1 << UInt64(exponent & 0x7F)
    }
    return interface
  }
}
