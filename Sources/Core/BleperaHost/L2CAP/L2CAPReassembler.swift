import BleperaBluetooth

/// Joins the fragments that arrive over one link to frames (Core Specification, Vol 3, Part A, 7.2.2).
///
/// Fragments that do not form a frame are dropped, and the link stays, as in Linux (`l2cap_recv_acldata`).
package struct L2CAPReassembler: Hashable, Sendable {
  /// The beginning of a frame; nil between frames.
  private var partial: [UInt8]?

  package init() {}

  /// Returns the frame that the fragment completes.
  package mutating func receive(_ fragment: [UInt8], isStart: Bool) -> L2CAPFrame? {
    if isStart {
      partial = fragment
    } else {
      // Nil for a continuation without a start.
      partial?.append(contentsOf: fragment)
    }
    guard let bytes = partial, bytes.count >= L2CAPFrame.headerLength else { return nil }
    let length = L2CAPFrame.headerLength + Int(bytes[0]) + Int(bytes[1]) << 8
    guard bytes.count >= length else { return nil }
    partial = nil
    guard bytes.count == length else { return nil }
    return L2CAPFrame(
      channel: UInt16(bytes[2]) | UInt16(bytes[3]) << 8, payload: Array(bytes[L2CAPFrame.headerLength...]))
  }
}
