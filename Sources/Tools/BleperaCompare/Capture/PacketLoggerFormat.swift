import BleperaBluetooth

/// Files of Apple's PacketLogger, of a sysdiagnose and of a log over USB, which have no file header. Numbers are
/// little-endian in PacketLogger's own files and big-endian in the others. Phones log times in whole milliseconds.
struct PacketLoggerFormat: Sendable {
  let isBigEndian: Bool

  /// The length of the time and the type, which follow the length field, in bytes.
  private static let headLength = 9

  /// Returns nil if the length field of the first record is implausible in both byte orders.
  init?(_ length: ArraySlice<UInt8>) {
    let little: Int = LittleEndian.number(length)
    let big: Int = LittleEndian.number(length.reversed())
    let range = Self.headLength...CaptureReader.longestRecord
    guard range.contains(min(big, little)) else { return nil }
    isBigEndian = big < little
  }

  func next(_ bytes: inout FileBytes) throws(FileBytes.Fault) -> FileRecord {
    let length = Int(try bytes.uint32(isBigEndian: isBigEndian))
    guard (Self.headLength...CaptureReader.longestRecord).contains(length) else {
      throw .invalid("the record says \(length) bytes, not \(Self.headLength) to \(CaptureReader.longestRecord)")
    }
    let seconds = Int64(try bytes.uint32(isBigEndian: isBigEndian))
    let microseconds = Int64(try bytes.uint32(isBigEndian: isBigEndian))
    let type = try bytes.uint8()
    let data = try bytes.take(length - Self.headLength)
    guard let content = Self.content(type, data) else { return .skipped }
    return FileRecord(packet: (seconds * 1_000_000_000 + microseconds * 1000, content))
  }

  private static func content(_ type: UInt8, _ data: ArraySlice<UInt8>) -> CapturedPacket.Content? {
    func packet(_ kind: HCIPacketKind, isReceived: Bool) -> CapturedPacket.Content {
      .hci(HCIPacket(kind: kind, isReceived: isReceived, bytes: Array(data)))
    }
    var text: String { String(decoding: data.prefix { $0 != 0 }, as: UTF8.self) }
    switch type {
    case 0x00: return packet(.command, isReceived: false)
    case 0x01: return packet(.event, isReceived: true)
    case 0x02, 0x03: return packet(.acl, isReceived: type == 0x03)
    case 0x08, 0x09: return packet(.synchronous, isReceived: type == 0x09)
    case 0x12, 0x13: return packet(.isochronous, isReceived: type == 0x13)
    case 0xFB: return .power(text)
    case 0xFC: return .note(text)
    default: return nil
    }
  }
}
