import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// A host's request to a link.
enum LinkStep: Hashable, Sendable {
  case encrypt
  case key
  case parameters
  case answerParameters
  case dataLength
  case disconnect
}

/// A connection of the controller.
struct ControllerLink: Sendable {
  let id: ConnectionID
  let isCentral: Bool
  /// The peer's address as it was sent.
  let peer: DeviceAddress
  /// The address by which the host waited for the peer.
  let wanted: DeviceAddress
  /// The opening that waits for the event that names the advertising set, at most until that time.
  var opening: (event: HCIConnectionComplete, end: Duration)?
  /// Whether the host has no such link, or has it no more.
  var isGone = false
  var isEncrypted = false
  /// Whether the peer's request for parameters is not answered.
  var awaitsAnswer = false
  /// Whether the host, as a peripheral, has requested parameters.
  var hasRequestedParameters = false
  /// The reason with which the controller is to end the link, when the end is reported at the latest, and when the
  /// command is sent again that was not performed; nil for a link that stays.
  var ending: (reason: UInt8, end: Duration, retry: Duration?)?
  /// The reported cause of an end that the link layer itself has asked for.
  var cause: LinkEnd?

  /// The exchange of the data length.
  enum LengthExchange: Sendable {
    case none
    /// The command is waiting or in flight; whether the length has changed since.
    case asked(hasChanged: Bool)
    /// The controller has begun the exchange, which is over at that time.
    case begun(until: Duration)
  }

  var length = LengthExchange.none

  /// The host's data that the controller does not have.
  private var queue: ArraySlice<LinkData> = []
  /// How many bytes of the first data the controller has.
  private var sentCount = 0
  /// The packets in the controller: whether each ends the host's data.
  private(set) var inController: ArraySlice<Bool> = []

  init(_ id: ConnectionID, isCentral: Bool, peer: DeviceAddress, wanted: DeviceAddress) {
    (self.id, self.isCentral, self.peer, self.wanted) = (id, isCentral, peer, wanted)
  }

  var deadline: Duration? {
    var end = [opening?.end, ending?.end, ending?.retry].compactMap(\.self).min()
    if case .begun(let until) = length { end = min(end ?? until, until) }
    return end
  }

  // MARK: Data

  var hasData: Bool { !queue.isEmpty }

  mutating func add(_ data: LinkData) { queue.append(data) }

  mutating func dropData() { (queue, sentCount) = ([], 0) }

  /// The next packet for the controller, with the octet of H4: the start of a frame is not flushed (5.4.2).
  mutating func takePacket(for handle: UInt16, upTo length: Int) -> [UInt8]? {
    guard let data = queue.first else { return nil }
    let piece = data.bytes[sentCount...].prefix(length)
    let boundary: UInt16 = data.isStart && sentCount == 0 ? 0b00 : 0b01
    sentCount += piece.count
    let isLast = sentCount == data.bytes.count
    if isLast {
      queue.removeFirst()
      sentCount = 0
    }
    inController.append(isLast)
    return [HCIPacketKind.acl.rawValue] + LittleEndian.bytes(handle | boundary << 12)
      + LittleEndian.bytes(UInt16(piece.count)) + piece
  }

  /// - Returns: how many packets are completed, and how many of the host's data with them.
  mutating func complete(_ count: Int) -> (packets: Int, data: Int) {
    let completed = inController.prefix(count)
    inController.removeFirst(completed.count)
    return (completed.count, completed.count { $0 })
  }
}

extension HCIConnectionParameters {
  /// Within the specification's ranges (7.8.18).
  init(_ parameters: LinkParameters) {
    let interval = Int(min(parameters.interval / .microseconds(1250), 3200).rounded())
    let timeout = Int(min(parameters.supervisionTimeout / .milliseconds(10), 3200).rounded())
    let units = UInt16(max(interval, 6))
    self.init(least: units, most: units, latency: min(parameters.latency, 499), timeout: UInt16(max(timeout, 10)))
  }
}
