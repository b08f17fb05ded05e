import BleperaBluetooth

/// A packet of the LE 1M PHY, from its access address to its CRC (Core Specification, Vol 6, Part B, 2.1).
struct LinkLayerPacket: Hashable, Sendable {
  /// The channel and the direction.
  enum Kind: Hashable, Sendable {
    case advertising(AdvertisingChannel)
    /// On the secondary advertising channel.
    case auxiliary
    case fromCentral
    case fromPeripheral

    /// The number of the link type's flags (`LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR`).
    var number: UInt16 {
      switch self {
      case .advertising: 0
      case .auxiliary: 1
      case .fromCentral: 2
      case .fromPeripheral: 3
      }
    }
  }

  let kind: Kind
  let accessAddress: UInt32
  let initialCRC: UInt32
  let pdu: [UInt8]
  /// The signal strength at a receiver, in dBm; nil where it is not known.
  var signal: Int?
  /// Whether the packet was encrypted on the air; `pdu` is clear, without an integrity check.
  var isDecrypted = false

  init(_ kind: Kind, to link: LinkAddress? = nil, _ pdu: [UInt8], signal: Int? = nil) {
    self.kind = kind
    accessAddress = link?.accessAddress ?? AccessAddress.advertising
    initialCRC = link?.initialCRC ?? LinkLayerCRC.advertising
    self.pdu = pdu
    self.signal = signal
  }

  var bytes: [UInt8] {
    LittleEndian.bytes(accessAddress) + pdu + LinkLayerCRC.bytes(of: pdu, initial: initialCRC)
  }

  /// The channel as (frequency - 2402 MHz) / 2 MHz: 22 is the channel 20, in place of the channels among which devices
  /// hop.
  var radioChannel: UInt8 {
    if case .advertising(let channel) = kind { channel.radioChannel } else { 22 }
  }
}

/// The access address of a connection and the initial value of its CRC.
struct LinkAddress: Hashable, Sendable {
  let accessAddress: UInt32
  /// 24 bits.
  let initialCRC: UInt32

  /// - Parameter number: the number of the connection, which determines both.
  init(of number: Int) {
    var random = SplitMix64(seed: UInt64(truncatingIfNeeded: number))
    var address: UInt32
    repeat { address = UInt32(truncatingIfNeeded: random.next()) } while !Self.isValid(address)
    accessAddress = address
    initialCRC = UInt32(truncatingIfNeeded: random.next()) & 0xFF_FFFF
  }

  /// The requirements of Vol 6, Part B, 2.1.2.
  static func isValid(_ address: UInt32) -> Bool {
    let changes = (address ^ address >> 1) & 0x7FFF_FFFF
    let equals = ~changes & 0x7FFF_FFFF
    let threeEqual = equals & equals >> 1
    let sevenEqual = threeEqual & threeEqual >> 2 & threeEqual >> 4
    return sevenEqual == 0 && changes.nonzeroBitCount <= 24 && (changes >> 26).nonzeroBitCount >= 2
      && (address ^ AccessAddress.advertising).nonzeroBitCount > 1
      && address != (address & 0xFF) &* 0x0101_0101
  }
}

extension DeviceAddress {
  /// The least significant byte first.
  var littleEndianBytes: [UInt8] { LittleEndian.bytes(bits, count: 6) }
}
