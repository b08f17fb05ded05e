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
    self.payload = payload.count > Int(UInt16.max) ? Array(payload.prefix(Int(UInt16.max))) : payload
  }

  package var bytes: [UInt8] {
    let length = payload.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerLength + length)
    bytes += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(channel & 0xFF), UInt8(channel >> 8)]
    bytes += payload
    return bytes
  }

  /// The pieces of at most `length` bytes that a controller takes, in order (7.2.1).
  package func fragments(of length: Int) -> [(isStart: Bool, bytes: [UInt8])] {
    let (bytes, length) = (bytes, max(1, length))
    guard bytes.count > length else { return [(true, bytes)] }
    return stride(from: 0, to: bytes.count, by: length).map { start in
      (start == 0, Array(bytes[start...].prefix(length)))
    }
  }
}
