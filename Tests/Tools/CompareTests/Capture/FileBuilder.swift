import BleperaBluetooth

@testable import BleperaCompare

/// Files of captures, byte for byte.
enum FileBuilder {
  static func big<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    (0..<Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (Integer.bitWidth - 8 - 8 * $0)) }
  }

  static func little<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] { big(value).reversed() }

  static func order<Integer: FixedWidthInteger>(_ value: Integer, _ isBigEndian: Bool) -> [UInt8] {
    isBigEndian ? big(value) : little(value)
  }

  // MARK: PacketLogger

  static func packetLogger(
    _ type: UInt8, _ data: [UInt8], at time: (seconds: UInt32, microseconds: UInt32) = (1_700_000_000, 5000),
    isBigEndian: Bool = true
  ) -> [UInt8] {
    order(UInt32(9 + data.count), isBigEndian) + order(time.seconds, isBigEndian)
      + order(time.microseconds, isBigEndian)
      + [type] + data
  }

  // MARK: btsnoop

  static func btsnoop(_ link: UInt32, version: UInt32 = 1) -> [UInt8] {
    Array("btsnoop\0".utf8) + big(version) + big(link)
  }

  static func btsnoopRecord(_ flags: UInt32, _ data: [UInt8], microseconds: UInt64 = 1_700_000_000_000_000) -> [UInt8] {
    big(UInt32(data.count)) + big(UInt32(data.count)) + big(flags) + big(UInt32(0))
      + big(microseconds &+ 0x00DC_DDB3_0F2F_8000) + data
  }

  // MARK: pcap

  static func pcap(_ link: UInt32, isBigEndian: Bool = false, isNanoseconds: Bool = false) -> [UInt8] {
    order(isNanoseconds ? 0xA1B2_3C4D as UInt32 : 0xA1B2_C3D4, isBigEndian)
      + order(UInt16(2), isBigEndian) + order(UInt16(4), isBigEndian)
      + [UInt8](repeating: 0, count: 8) + order(UInt32(65535), isBigEndian) + order(link, isBigEndian)
  }

  static func pcapRecord(
    _ data: [UInt8], at time: (seconds: UInt32, fraction: UInt32) = (1_700_000_000, 250), isBigEndian: Bool = false
  ) -> [UInt8] {
    order(time.seconds, isBigEndian) + order(time.fraction, isBigEndian) + order(UInt32(data.count), isBigEndian)
      + order(UInt32(data.count), isBigEndian) + data
  }

  // MARK: pcapng

  static func block(_ type: UInt32, _ body: [UInt8], isBigEndian: Bool = false) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = order(UInt32(padded.count + 12), isBigEndian)
    return order(type, isBigEndian) + length + padded + length
  }

  static func section(isBigEndian: Bool = false) -> [UInt8] {
    block(
      0x0A0D_0D0A,
      order(0x1A2B_3C4D as UInt32, isBigEndian) + order(UInt16(1), isBigEndian) + order(UInt16(0), isBigEndian)
        + [UInt8](repeating: 0xFF, count: 8), isBigEndian: isBigEndian)
  }

  static func interface(
    _ link: UInt16, resolution: UInt8? = nil, offset: Int64? = nil, isBigEndian: Bool = false
  ) -> [UInt8] {
    var option = resolution.map { order(UInt16(9), isBigEndian) + order(UInt16(1), isBigEndian) + [$0, 0, 0, 0] } ?? []
    if let offset {
      option += order(UInt16(14), isBigEndian) + order(UInt16(8), isBigEndian) + order(offset, isBigEndian)
    }
    return block(
      1, order(link, isBigEndian) + [0, 0, 0, 0, 0, 0] + option + (option.isEmpty ? [] : [0, 0, 0, 0]),
      isBigEndian: isBigEndian)
  }

  static func enhanced(_ interface: UInt32, _ units: UInt64, _ data: [UInt8], isBigEndian: Bool = false) -> [UInt8] {
    block(
      6,
      order(interface, isBigEndian) + order(UInt32(units >> 32), isBigEndian)
        + order(UInt32(truncatingIfNeeded: units), isBigEndian) + order(UInt32(data.count), isBigEndian)
        + order(UInt32(data.count), isBigEndian) + data, isBigEndian: isBigEndian)
  }

  // MARK: Packets

  /// ADV_IND of a phone in the background, from its header to its data.
  static let pdu: [UInt8] = [0x40, 0x09, 1, 2, 3, 4, 5, 0x5A, 2, 1, 6]

  /// Access address, PDU and CRC, the right one or another.
  static func onAir(_ pdu: [UInt8] = pdu, access: UInt32 = 0x8E89_BED6, isRight: Bool = true) -> [UInt8] {
    var crc = LinkLayerCRC.bytes(of: pdu, initial: LinkLayerCRC.advertising)
    if !isRight { crc[0] ^= 1 }
    return little(access) + pdu + crc
  }

  static func header256(_ place: UInt8, _ flags: UInt16, signal: Int8 = -60) -> [UInt8] {
    [place, UInt8(bitPattern: signal), 0, 0, 0, 0, 0, 0] + little(flags)
  }

  /// A packet of nRF Sniffer with a header of that version.
  static func nordic(
    _ version: UInt8, id: UInt8 = 6, flags: UInt8 = 1, clock: UInt32 = 0, channel: UInt8 = 38,
    _ packet: [UInt8] = onAir()
  ) -> [UInt8] {
    let payload = [10, flags, channel, 60, 0, 0] + little(clock) + packet
    let length = version == 1 ? [6, UInt8(payload.count)] : little(UInt16(payload.count))
    return [0] + length + [version, 0, 0, id] + payload
  }
}

extension CaptureReader {
  /// The packets of a file, and why it ends early.
  static func packets(of file: [UInt8], pieces: Int = 1 << 16) -> (packets: [CapturedPacket], fault: CaptureFault?) {
    var reader = CaptureReader()
    var packets: [CapturedPacket] = []
    do throws(CaptureFault) {
      for start in stride(from: 0, to: file.count, by: pieces) {
        reader.append(Array(file[start...].prefix(pieces)))
        while let packet = try reader.next() { packets.append(packet) }
      }
      reader.end()
      while let packet = try reader.next() { packets.append(packet) }
      return (packets, nil)
    } catch {
      return (packets, error)
    }
  }
}
