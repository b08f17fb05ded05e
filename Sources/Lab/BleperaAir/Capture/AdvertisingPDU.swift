import BleperaBluetooth
import BleperaHost

/// The PDUs on advertising channels (Core Specification, Vol 6, Part B, 2.3).
enum AdvertisingPDU {
  private enum PDUType: UInt8 {
    case connectable = 0b0000
    case nonconnectable = 0b0010
    case scanRequest = 0b0011
    case scanResponse = 0b0100
    case connect = 0b0101
    case scannable = 0b0110
    /// ADV_EXT_IND and the auxiliary PDUs, except for requests.
    case extended = 0b0111
  }

  /// The bits of the extended header's flags (2.3.4).
  private enum Extension {
    static let advertiser: UInt8 = 1 << 0
    static let dataInfo: UInt8 = 1 << 3
    static let pointer: UInt8 = 1 << 4
  }

  /// AuxPtr: the channel 20, 600 µs later in units of 30 µs, on the 1M PHY (2.3.4.5).
  private static let pointer: [UInt8] = [20, 20, 0]
  /// The maximum length of the data that one extended PDU carries with AdvA and ADI, and with AuxPtr besides.
  private static let longestExtended = 245
  private static let longestChained = 242

  /// The packets of an advertising event on one channel.
  static func event(
    _ packets: AdvertisingPackets, from address: DeviceAddress, on channel: AdvertisingChannel, signal: Int?
  ) -> [LinkLayerPacket] {
    guard packets.isExtended else {
      let type: PDUType =
        packets.isConnectable ? .connectable : packets.scanResponse.isEmpty ? .nonconnectable : .scannable
      return [
        LinkLayerPacket(
          .advertising(channel), pdu(type, from: address, address.littleEndianBytes + packets.data), signal: signal)
      ]
    }
    let mode: UInt8 = packets.isConnectable ? 1 : packets.scanResponse.isEmpty ? 0 : 2
    // The set 0; the identifier differs where the data does.
    let info = LittleEndian.bytes(packets.data.reduce(UInt16(0)) { ($0 &* 31 &+ UInt16($1)) & 0xFFF })
    let isLong = packets.data.count > longestExtended
    let first = packets.data.prefix(isLong ? longestChained : longestExtended)
    var result = [
      LinkLayerPacket(
        .advertising(channel),
        extended(mode: mode, Extension.dataInfo | Extension.pointer, info + pointer, from: nil, [])),
      LinkLayerPacket(
        .auxiliary,
        extended(
          mode: mode, Extension.advertiser | Extension.dataInfo | (isLong ? Extension.pointer : 0),
          address.littleEndianBytes + info + (isLong ? pointer : []), from: address, first)),
    ]
    if isLong {
      let rest = packets.data.dropFirst(longestChained)
      result.append(LinkLayerPacket(.auxiliary, extended(mode: 0, Extension.dataInfo, info, from: nil, rest)))
    }
    for index in result.indices { result[index].signal = signal }
    return result
  }

  /// The request of an active scanner, and the response.
  static func scan(
    _ packets: AdvertisingPackets, of address: DeviceAddress, by scanner: DeviceAddress, on channel: AdvertisingChannel,
    signal: Int?
  ) -> [LinkLayerPacket] {
    let kind: LinkLayerPacket.Kind = packets.isExtended ? .auxiliary : .advertising(channel)
    let request = pdu(.scanRequest, from: scanner, to: address, scanner.littleEndianBytes + address.littleEndianBytes)
    let response =
      packets.isExtended
      ? extended(
        mode: 0, Extension.advertiser, address.littleEndianBytes, from: address,
        packets.scanResponse.prefix(longestExtended))
      : pdu(.scanResponse, from: address, address.littleEndianBytes + packets.scanResponse)
    return [LinkLayerPacket(kind, request), LinkLayerPacket(kind, response, signal: signal)]
  }

  /// CONNECT_IND (2.3.3.1): all channels, a hop of 5 channels.
  static func connect(
    _ connection: AirConnection, on channel: AdvertisingChannel, link: LinkAddress
  ) -> LinkLayerPacket {
    let (central, peripheral) = connection.addresses
    let linkData =
      LittleEndian.bytes(link.accessAddress) + LittleEndian.bytes(link.initialCRC, count: 3)
      + [1] + LittleEndian.bytes(UInt16(0)) + connection.parameters.bytes + [0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 5]
    let addresses = central.littleEndianBytes + peripheral.littleEndianBytes
    return LinkLayerPacket(.advertising(channel), pdu(.connect, from: central, to: peripheral, addresses + linkData))
  }

  private static func extended(
    mode: UInt8, _ flags: UInt8, _ header: [UInt8], from address: DeviceAddress?, _ data: some Collection<UInt8>
  ) -> [UInt8] {
    pdu(.extended, from: address, [mode << 6 | UInt8(1 + header.count), flags] + header + data)
  }

  private static func pdu(
    _ type: PDUType, from sender: DeviceAddress?, to receiver: DeviceAddress? = nil, _ payload: [UInt8]
  ) -> [UInt8] {
    let transmitter: UInt8 = sender?.isRandom == true ? 1 << 6 : 0
    let receiver: UInt8 = receiver?.isRandom == true ? 1 << 7 : 0
    return [type.rawValue | transmitter | receiver, UInt8(clamping: payload.count)] + payload
  }
}
