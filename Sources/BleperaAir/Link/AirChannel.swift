import BleperaBluetooth

/// An L2CAP channel, numbered by the central.
package struct ChannelID: Hashable, Comparable, Sendable {
  package let number: Int

  package init(_ number: Int) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One of the two ends of a channel.
package struct ChannelEnd: Hashable, Sendable {
  package let channel: ChannelID
  package let isCentral: Bool

  package init(_ channel: ChannelID, isCentral: Bool) { (self.channel, self.isCentral) = (channel, isCentral) }

  var other: ChannelEnd { ChannelEnd(channel, isCentral: !isCentral) }
}

/// Why a peripheral refuses a channel.
package enum ChannelRefusal: Error, Hashable, Sendable {
  /// Nothing is published with that PSM.
  case unknownPSM
  /// The channel requires encryption, and the devices are not paired.
  case notEncrypted

  /// The result of an LE Credit Based Connection Response (Core Specification, Vol 3, Part A, 4.23).
  var code: UInt16 {
    switch self {
    case .unknownPSM: 0x0002
    case .notEncrypted: 0x0005
    }
  }
}

/// A channel of packets with credits (Core Specification, Vol 3, Part A, 10.1): what its reader does not read stops its
/// writer. Sizes and credits are ours.
struct AirChannel: Hashable, Sendable {
  /// The bytes of one packet, which is a whole SDU: with the headers it fills a data PDU of 251 bytes.
  static let maximumPayload = 245
  /// The packets that each side may have received and not read.
  static let window = 32
  /// The bytes that wait for credits at most.
  static let outputLimit = 1 << 14

  struct Side: Hashable, Sendable {
    /// What is to be sent.
    var output: [UInt8] = []
    /// What has been received and not read.
    var input: [UInt8] = []
    /// The packets that this side may send.
    var credits = AirChannel.window
    /// The received packets for which the other side has no new credit yet.
    var unreturned = 0
    var isClosed = false
  }

  let connection: ConnectionID
  /// Whether data can still be exchanged.
  var isOpen = true
  var central = Side()
  var peripheral = Side()
  /// Nil where the central is the air's.
  var host: HostChannel?

  init(connection: ConnectionID) { self.connection = connection }

  /// The bytes of one packet.
  var maximumPayload: Int { host?.maximumPayload ?? Self.maximumPayload }

  subscript(end: ChannelEnd) -> Side {
    get { end.isCentral ? central : peripheral }
    _modify { if end.isCentral { yield &central } else { yield &peripheral } }
  }
}

/// A packet of a channel, or one of the signaling channel about it.
enum ChannelPacket: Hashable, Sendable {
  case request(ChannelID, L2CAPPSM)
  case response(ChannelID, ChannelRefusal?)
  /// Sent by that end, as the others below.
  case data(ChannelEnd, [UInt8])
  case credits(ChannelEnd, Int)
  case disconnect(ChannelEnd)

  var isUpward: Bool {
    switch self {
    case .request: true
    case .response: false
    case .data(let end, _), .credits(let end, _), .disconnect(let end): end.isCentral
    }
  }
}
