import BleperaBluetooth
import BleperaRecording

/// btsnoop files, which Android, btmon and Bumble write.
struct BtsnoopFormat: Sendable {
  private let link: BtsnoopFile.Link

  init(_ bytes: inout FileBytes) throws(FileBytes.Fault) {
    let name = try bytes.take(BtsnoopFile.name.count)
    guard name.elementsEqual(BtsnoopFile.name) else { throw .invalid("not a capture of a known kind") }
    let version = try bytes.uint32(isBigEndian: true)
    let number = try bytes.uint32(isBigEndian: true)
    guard version == BtsnoopFile.version else {
      throw .invalid("btsnoop version \(version); only version 1 is read")
    }
    guard let link = BtsnoopFile.Link(rawValue: number) else {
      throw .invalid("btsnoop with packets of type \(number); only 1001 (HCI), 1002 (H4) and 2001 (monitor) are read")
    }
    self.link = link
  }

  func next(_ bytes: inout FileBytes) throws(FileBytes.Fault) -> FileRecord {
    try bytes.skip(4)
    let length = Int(try bytes.uint32(isBigEndian: true))
    let flags = try bytes.uint32(isBigEndian: true)
    try bytes.skip(4)
    let time = try bytes.uint64(isBigEndian: true)
    guard length <= CaptureReader.longestRecord else {
      throw .invalid("the record says \(length) bytes; the most is \(CaptureReader.longestRecord)")
    }
    let data = try bytes.take(length)
    guard let content = content(flags, data) else { return .skipped }
    return FileRecord(
      packet: (Int64(truncatingIfNeeded: time &- BtsnoopFile.epoch) &* 1000, content),
      adapter: link == .monitor ? Int(flags >> 16) : 0)
  }

  private func content(_ flags: UInt32, _ data: ArraySlice<UInt8>) -> CapturedPacket.Content? {
    let isReceived = flags & 1 == 1
    switch link {
    case .hci:
      let kind: HCIPacketKind = flags & 2 == 0 ? .acl : isReceived ? .event : .command
      return .hci(HCIPacket(kind: kind, isReceived: isReceived, bytes: Array(data)))
    case .h4: return HCIPacket(h4: data, isReceived: isReceived).map { .hci($0) }
    case .monitor: return CapturedPacket.Content(monitor: UInt16(truncatingIfNeeded: flags), data)
    }
  }
}

extension CapturedPacket.Content {
  /// A record of the kernel's monitor (src/shared/btsnoop.h of BlueZ); nil for a record without a packet.
  init?(monitor opcode: UInt16, _ data: ArraySlice<UInt8>) {
    let kind: HCIPacketKind
    switch opcode {
    case 2: kind = .command
    case 3: kind = .event
    case 4, 5: kind = .acl
    case 6, 7: kind = .synchronous
    case 18, 19: kind = .isochronous
    case 12:
      self = .note(String(decoding: data.prefix { $0 != 0 }, as: UTF8.self))
      return
    default: return nil
    }
    self = .hci(HCIPacket(kind: kind, isReceived: opcode & 1 == 1, bytes: Array(data)))
  }
}

extension HCIPacket {
  /// Reads a packet from its H4 form, in which an octet for the kind comes first; nil if the kind is unknown.
  init?(h4 data: ArraySlice<UInt8>, isReceived: Bool?) {
    guard let first = data.first, let kind = HCIPacketKind(rawValue: first) else { return nil }
    let direction =
      switch kind {
      case .command: false
      case .event: true
      default: isReceived
      }
    self.init(kind: kind, isReceived: direction, bytes: Array(data.dropFirst()))
  }
}
