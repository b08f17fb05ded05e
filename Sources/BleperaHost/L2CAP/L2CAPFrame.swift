import BleperaBluetooth

/// A frame of L2CAP's basic mode (Core Specification, Vol 3, Part A, 3.1).
package struct L2CAPFrame: Hashable, Sendable {
  /// The channel of the Attribute Protocol (2.1).
  package static let attributes: UInt16 = 0x0004
  /// The LE signaling channel.
  package static let signaling: UInt16 = 0x0005
  /// The channel of the Security Manager.
  package static let security: UInt16 = 0x0006

  /// Length and channel.
  package static let headerLength = 4

  package let channel: UInt16
  /// At most 65,535 bytes.
  package let payload: [UInt8]

  package init(channel: UInt16, payload: [UInt8]) {
    self.channel = channel
    self.payload = Array(payload.prefix(Int(UInt16.max)))
  }

  package var bytes: [UInt8] {
    LittleEndian.bytes(UInt16(clamping: payload.count)) + LittleEndian.bytes(channel) + payload
  }

  /// The pieces of at most `length` bytes that a controller takes, in order (7.2.1).
  package func fragments(of length: Int) -> [(isStart: Bool, bytes: [UInt8])] {
    let (bytes, length) = (bytes, max(1, length))
    return stride(from: 0, to: bytes.count, by: length).map { start in
      (start == 0, Array(bytes[start...].prefix(length)))
    }
  }
}
