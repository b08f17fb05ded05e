/// Reads the packets of a capture: a file of PacketLogger, btsnoop, pcap or pcapng, found by the first bytes. The bytes
/// of the file arrive in pieces.
package struct CaptureReader: Sendable {
  /// The format of the file, with the state of its reader.
  enum Format: Sendable {
    case packetLogger(PacketLoggerFormat)
    case btsnoop(BtsnoopFormat)
    case pcap(PcapFormat)
    case pcapng
  }

  private var buffer: [UInt8] = []
  /// The start of the next record in the buffer; `origin` is the start of the buffer in the file.
  private var position = 0
  private var origin = 0
  private var hasEnded = false
  private var format: Format?
  /// The reader of pcapng files, outside of `format`: its interfaces are then not copied for each record.
  private var pcapng = PcapngFormat()
  /// The adapter of the first HCI packet. Packets of other adapters wait until the end, in reverse order.
  private var adapter: Int?
  private var waiting: [CapturedPacket] = []
  private var isSorted = false
  /// The number of records read so far.
  package private(set) var records = 0

  /// The longest record of a capture that is read, in bytes.
  static let longestRecord = 1 << 20

  /// The latest time of a packet, in 2116. The earliest is 1970, so the difference of two times cannot overflow.
  static let latestTime: Int64 = 1 << 62

  package init() {}

  /// - Parameter bytes: the next bytes of the file.
  package mutating func append(_ bytes: [UInt8]) {
    if position > 0 {
      origin += position
      buffer.removeFirst(position)
      position = 0
    }
    buffer += bytes
  }

  /// Marks the end of the file.
  package mutating func end() { hasEnded = true }

  /// Returns the next packet; nil if more bytes are needed, or at the end. Records without a packet are skipped, such
  /// as records of an unknown type.
  ///
  /// The packets of a log of several adapters come adapter by adapter, as if each had its own file.
  package mutating func next() throws(CaptureFault) -> CapturedPacket? {
    // A fault of the file is thrown after the packets that wait.
    if isSorted, let packet = waiting.popLast() { return packet }
    do throws(CaptureFault) {
      while let packet = try following() {
        adapter = adapter ?? packet.adapter
        guard let other = packet.adapter, other != adapter else { return packet }
        waiting.append(packet)
      }
      return hasEnded ? nextOfOthers() : nil
    } catch {
      if let packet = nextOfOthers() { return packet }
      throw error
    }
  }

  private mutating func nextOfOthers() -> CapturedPacket? {
    if !isSorted { waiting.sort { ($0.adapter ?? 0, $0.number) > ($1.adapter ?? 0, $1.number) } }
    isSorted = true
    return waiting.popLast()
  }

  private mutating func following() throws(CaptureFault) -> CapturedPacket? {
    while true {
      var bytes = FileBytes(buffer, from: position)
      do throws(FileBytes.Fault) {
        guard let record = try read(&bytes) else {
          position = bytes.position
          continue
        }
        position = bytes.position
        return record
      } catch {
        switch error {
        case .incomplete:
          guard hasEnded else { return nil }
          guard position < buffer.count else {
            if format == nil { throw fault("the file is empty", isHeader: true) }
            if case .pcapng = format, let reason = pcapng.refusal { throw fault(reason, isHeader: true) }
            return nil
          }
          throw fault("the file ends within its \(format == nil ? "header" : "last record")", isHeader: format == nil)
        case .invalid(let reason): throw fault(reason, isHeader: format == nil)
        }
      }
    }
  }

  private func fault(_ reason: String, isHeader: Bool) -> CaptureFault {
    CaptureFault(record: isHeader ? nil : records + 1, offset: origin + position, reason: reason)
  }

  /// Reads the header or a record; nil for the header, and for a record without a packet.
  private mutating func read(_ bytes: inout FileBytes) throws(FileBytes.Fault) -> CapturedPacket? {
    guard let format else {
      format = try Self.format(&bytes, isWhole: hasEnded)
      return nil
    }
    let record: FileRecord
    switch format {
    case .packetLogger(let format): record = try format.next(&bytes)
    case .btsnoop(let format): record = try format.next(&bytes)
    case .pcap(var format):
      record = try format.next(&bytes)
      self.format = .pcap(format)
    case .pcapng: record = try pcapng.next(&bytes)
    }
    if record.isCounted { records += 1 }
    guard let (time, content) = record.packet else { return nil }
    var packet = CapturedPacket(number: records, time: min(max(time, 0), Self.latestTime), content: content)
    if case .hci = content { packet.adapter = record.adapter }
    return packet
  }

  private static func format(_ bytes: inout FileBytes, isWhole: Bool) throws(FileBytes.Fault) -> Format {
    let magic = try bytes.peek(4)
    switch magic {
    case [0x62, 0x74, 0x73, 0x6E]: return .btsnoop(try BtsnoopFormat(&bytes))
    case [0x0A, 0x0D, 0x0D, 0x0A]: return .pcapng
    case [0xD4, 0xC3, 0xB2, 0xA1], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0xA1, 0xB2, 0x3C, 0x4D]:
      return .pcap(try PcapFormat(&bytes))
    default:
      if magic.starts(with: [0x1F, 0x8B]) { throw .invalid("a file that gzip has packed; 'gunzip' unpacks it") }
      guard let format = PacketLoggerFormat(magic) else {
        throw .invalid("not a capture of a known kind: PacketLogger (.pklg), btsnoop, pcap or pcapng")
      }
      return .packetLogger(format)
    }
  }
}

/// A record of a file and the packet in it, if any.
struct FileRecord {
  var packet: (time: Int64, content: CapturedPacket.Content)?
  /// The adapter of an HCI packet.
  var adapter = 0
  /// Whether the record gets a number, as Wireshark counts.
  var isCounted = true

  static let skipped = FileRecord()
  static let uncounted = FileRecord(isCounted: false)
}
