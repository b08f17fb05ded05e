import BleperaBluetooth

/// The bytes of a btsnoop file, whose numbers are big-endian.
package enum BtsnoopFile {
  /// The form of the records in a file.
  package enum Link: UInt32, Sendable {
    /// HCI packets without the octet of H4.
    case hci = 1001
    case h4 = 1002
    /// Records of the kernel's monitor.
    case monitor = 2001
  }

  /// The first bytes of every file.
  package static let name = Array("btsnoop\0".utf8)

  package static let version: UInt32 = 1

  /// The time of 1970 in a file, in microseconds since the year 0.
  package static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000

  /// The header of a file of H4.
  package static let header = name + bytes(version) + bytes(Link.h4.rawValue)

  /// A record of a file of H4.
  ///
  /// - Parameters:
  ///   - packet: with its octet of H4.
  ///   - isReceived: whether the controller sent it to the host.
  ///   - time: since 1970 in UTC.
  package static func record(_ packet: [UInt8], isReceived: Bool, at time: Duration) -> [UInt8] {
    let length = bytes(UInt32(clamping: packet.count))
    let kind = packet.first.flatMap { HCIPacketKind(rawValue: $0) }
    let flags: UInt32 = (isReceived ? 1 : 0) | (kind == .command || kind == .event ? 2 : 0)
    let (seconds, attoseconds) = time.components
    let microseconds = epoch &+ UInt64(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    return length + length + bytes(flags) + bytes(0 as UInt32) + bytes(microseconds) + packet
  }

  private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { LittleEndian.bytes(number.byteSwapped) }
}
