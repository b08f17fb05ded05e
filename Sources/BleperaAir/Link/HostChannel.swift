import BleperaBluetooth
import BleperaHost

/// What a peripheral of the air knows of a credit-based channel that a host outside the air has opened (Core
/// Specification, Vol 3, Part A, 10.1): a packet of the air is an SDU of one frame.
struct HostChannel: Hashable, Sendable {
  /// The peripheral's end.
  let own: UInt16
  /// The host's end, with the sizes that it takes.
  let peer: L2CAPSignal.CreditOffer
  /// The bytes of the SDU that have not arrived.
  var rest = 0

  /// The bytes of an SDU that one frame of the host holds.
  var maximumPayload: Int { min(Int(peer.mtu), Int(peer.mps) - 2) }

  /// Takes a frame of the host; nil where it breaks the rules of an SDU.
  mutating func receive(_ frame: [UInt8]) -> [UInt8]? {
    var frame = frame[...]
    if rest == 0 {
      guard frame.count >= 2 else { return nil }
      rest = LittleEndian.number(frame.prefix(2))
      frame = frame.dropFirst(2)
      guard rest <= AirChannel.maximumPayload else { return nil }
    }
    guard frame.count <= rest else { return nil }
    rest -= frame.count
    return Array(frame)
  }
}
