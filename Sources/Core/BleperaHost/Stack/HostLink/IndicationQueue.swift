import BleperaBluetooth

/// The indications to one peer, one at a time (Core Specification, Vol 3, Part F, 3.3.2).
struct IndicationQueue: Sendable {
  /// The indication that the peer has not confirmed, with the number of its timer.
  private var unconfirmed: (handle: AttributeHandle, timer: Int)?
  private var waiting: [(handle: AttributeHandle, value: [UInt8])] = []

  /// The number of those that wait.
  var count: Int { waiting.count }
  /// The indication to be sent now; nil while another one is not confirmed.
  var next: (handle: AttributeHandle, value: [UInt8])? { unconfirmed == nil ? waiting.first : nil }

  mutating func add(_ handle: AttributeHandle, _ value: [UInt8]) { waiting.append((handle, value)) }

  /// The next indication has been sent.
  mutating func sent(timer: Int) { unconfirmed = (waiting.removeFirst().handle, timer) }

  func isUnconfirmed(timer: Int) -> Bool { unconfirmed?.timer == timer }

  /// Returns the attribute of the indication that the peer confirms; nil where it confirms none.
  mutating func confirm() -> AttributeHandle? {
    defer { unconfirmed = nil }
    return unconfirmed?.handle
  }
}
