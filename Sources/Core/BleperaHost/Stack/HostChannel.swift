package import BleperaBluetooth

/// An end of an L2CAP channel.
package struct ChannelEnd: Hashable, Sendable {
  package let link: ConnectionID
  /// The dynamic channel identifier of the end (Core Specification, Vol 3, Part A, 2.1).
  package let number: UInt16

  package init(_ link: ConnectionID, _ number: UInt16) { (self.link, self.number) = (link, number) }
}

/// An end of a channel of packets with credits (Core Specification, Vol 3, Part A, 10.1): data that its reader does not
/// read stops the other side's writer. Each frame that the end sends is a whole SDU. Sizes and credits are ours.
struct HostChannel: Sendable {
  /// The bytes of one packet that it receives: with the headers it fills a data PDU of 251 bytes.
  static let maximumPayload = 245
  /// The packets that each side may have received and not read.
  static let window = 32
  /// The bytes that wait for credits at most.
  static let outputLimit = 1 << 14

  /// The peer's end, with the sizes that it takes; nil until it has answered.
  var peer: L2CAPSignal.CreditOffer?
  /// The operation that waits for the answer.
  var opening: OperationID?
  /// The identifier of the request to open or to close it that the peer has not answered.
  var request: UInt8?
  /// The number of the timer that runs.
  var turn = 0
  /// Whether data can still be exchanged.
  var isOpen = false
  /// Whether its owner has closed it.
  var isClosed = false
  /// The bytes that are to be sent.
  var output: [UInt8] = []
  /// The bytes that were received and not read.
  var input: [UInt8] = []
  /// The packets that it may send.
  var credits = 0
  /// The received packets for which the peer has no new credit yet.
  var unreturned = 0
  /// The bytes of the SDU that have not arrived.
  private var rest = 0

  init(opening: OperationID, by request: UInt8) { (self.opening, self.request) = (opening, request) }

  init(to peer: L2CAPSignal.CreditOffer) {
    self.peer = peer
    credits = Int(peer.credits)
    isOpen = true
  }

  /// The offer to the peer for the end with that number.
  static func offer(_ number: UInt16) -> L2CAPSignal.CreditOffer {
    L2CAPSignal.CreditOffer(
      channel: number, mtu: UInt16(maximumPayload), mps: UInt16(maximumPayload + 2), credits: UInt16(window))
  }

  /// The next packet to be sent; nil where there is none, or no credit.
  mutating func next() -> [UInt8]? {
    guard isOpen, credits > 0, !output.isEmpty, let peer else { return nil }
    let packet = Array(output.prefix(min(Int(peer.mtu), Int(peer.mps) - 2)))
    output.removeFirst(packet.count)
    credits -= 1
    return LittleEndian.bytes(UInt16(clamping: packet.count)) + packet
  }

  /// Takes a frame of the peer.
  ///
  /// - Returns: false where it breaks the rules of an SDU or of credits.
  mutating func receive(_ frame: [UInt8]) -> Bool {
    guard unreturned < Self.window else { return false }
    var frame = frame[...]
    if rest == 0 {
      guard frame.count >= 2 else { return false }
      rest = LittleEndian.number(frame.prefix(2))
      frame = frame.dropFirst(2)
      guard rest <= Self.maximumPayload else { return false }
    }
    guard frame.count <= rest else { return false }
    rest -= frame.count
    unreturned += 1
    if !isClosed { input += frame }
    return true
  }

  /// Removes what has been read, and returns the credits that the peer gets for it.
  mutating func read(_ count: Int) -> Int {
    input.removeFirst(count)
    let unread = (input.count + Self.maximumPayload - 1) / Self.maximumPayload
    let due = unreturned - unread
    guard isOpen, due >= Self.window / 2 else { return 0 }
    unreturned -= due
    return due
  }
}
