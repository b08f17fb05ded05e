package import BleperaBluetooth

/// A packet of a capture, or a note that the phone has logged.
package struct CapturedPacket: Hashable, Sendable {
  /// The number of the record in its file, from 1, as Wireshark counts.
  package var number: Int
  /// Nanoseconds since 1970 by the clock of the file, which may be a local time as if it were UTC.
  package var time: Int64
  package var content: Content
  /// The adapter of an HCI packet: its index in a log of several, such as btmon's, with the interface of a pcapng above
  /// 16 bits; nil for other records.
  package var adapter: Int?

  package enum Content: Hashable, Sendable {
    case hci(HCIPacket)
    case air(AirPacket)
    /// A text of Apple's logger, such as `Software: Version 26.5.1 (Build 23F81)`.
    case note(String)
    /// A change of the phone's power, such as `AP Sleep`.
    case power(String)
  }
}

extension CapturedPacket {
  /// Creates an advertisement that comes from no file, such as from bluetoothd's report.
  ///
  /// - Parameters:
  ///   - type: the type of the PDU (Core Specification, Vol 6, Part B, 2.3).
  ///   - signal: the received signal strength in dBm.
  package init(
    advertisement data: some Collection<UInt8>, type: UInt8 = 0, of address: UInt64, signal: Int?, at time: Int64
  ) {
    let bytes = LittleEndian.bytes(address).prefix(6) + data
    let packet = AirPacket(
      channel: nil, signal: signal.map { Int8(clamping: $0) }, accessAddress: AccessAddress.advertising,
      pdu: [type, UInt8(truncatingIfNeeded: bytes.count)] + bytes, isCRCRight: true)
    self.init(number: 0, time: time, content: .air(packet))
  }
}

/// A packet between a host and its controller, without the octet of H4 (Core Specification, Vol 4, Part A, 2).
package struct HCIPacket: Hashable, Sendable {
  package var kind: HCIPacketKind
  /// Whether the host received it; nil where the file does not record directions and the kind is sent both ways.
  package var isReceived: Bool?
  package var bytes: [UInt8]

  /// The opcode, for commands only; nil if it has no name in `HCIOpcode`.
  var opcode: HCIOpcode? { bytes[...].number(at: 0).flatMap { HCIOpcode(rawValue: UInt16($0)) } }
}

/// A packet that a sniffer received (Core Specification, Vol 6, Part B, 2.1).
package struct AirPacket: Hashable, Sendable {
  /// The channel index, 0 to 39; nil where the file does not have it.
  package var channel: UInt8?
  /// The received signal strength in dBm; nil if the file does not have it.
  package var signal: Int8?
  package var accessAddress: UInt32
  /// The header and the payload, without the CRC.
  package var pdu: [UInt8]
  /// Whether the CRC is right, by a flag of the file, or computed for an advertisement; nil if neither is possible.
  package var isCRCRight: Bool?
  /// Whether the payload is still encrypted.
  package var isEncrypted = false
  /// Whether the central sent the data packet; nil for advertisements, and if the file does not have it.
  package var isFromCentral: Bool?
}
