import BleperaBluetooth

/// btsnoop files: of Android, of btmon, of Bumble.
struct BtsnoopFormat: Sendable {
  private enum Link: UInt32 {
    /// Without the octet of H4.
    case hci = 1001
    case h4 = 1002
    case monitor = 2001
  }

  private let link: Link

  /// The times are microseconds since the year 0; this is 1970.
  private static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000

  init(_ bytes: inout FileBytes) throws(FileBytes.Fault) {
    let name = try bytes.take(8)
    guard name.elementsEqual("btsnoop\0".utf8) else { throw .invalid("no capture of a kind that is known") }
    let version = try bytes.uint32(isBigEndian: true)
    let number = try bytes.uint32(isBigEndian: true)
    guard version == 1 else { throw .invalid("btsnoop of version \(version), which has only version 1") }
    guard let link = Link(rawValue: number) else {
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
      throw .invalid("its length of \(length) bytes is none of a record")
    }
    let data = try bytes.take(length)
    guard let content = content(flags, data) else { return .skipped }
    return FileRecord(packet: (Int64(truncatingIfNeeded: time &- Self.epoch) &* 1000, content))
  }

  private func content(_ flags: UInt32, _ data: ArraySlice<UInt8>) -> CapturedPacket.Content? {
    let isReceived = flags & 1 == 1
    switch link {
    case .hci:
      let kind: HCIPacketKind = flags & 2 == 0 ? .acl : isReceived ? .event : .command
      return .hci(HCIPacket(kind: kind, isReceived: isReceived, bytes: Array(data)))
    case .h4: return HCIPacket(h4: data, isReceived: isReceived).map { .hci($0) }
    case .monitor:
      func packet(_ kind: HCIPacketKind, _ isReceived: Bool) -> CapturedPacket.Content {
        .hci(HCIPacket(kind: kind, isReceived: isReceived, bytes: Array(data)))
      }
      switch flags & 0xFFFF {
      case 2: return packet(.command, false)
      case 3: return packet(.event, true)
      case 4, 5: return packet(.acl, flags & 1 == 1)
      case 6, 7: return packet(.synchronous, flags & 1 == 1)
      case 18, 19: return packet(.isochronous, flags & 1 == 1)
      case 12: return .note(String(decoding: data.prefix { $0 != 0 }, as: UTF8.self))
      default: return nil
      }
    }
  }
}

extension HCIPacket {
  /// A packet with its octet of H4; nil for no packet.
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
