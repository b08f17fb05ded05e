import BleperaHost

/// The host stack of a peripheral of the air towards a host outside it: frames become the air's own requests, and the
/// answers become frames.
struct HostEdge: Sendable {
  var reassembler = L2CAPReassembler()
  /// The request that the next response answers.
  var request: ATTPDU?
  /// Whether the two MTUs have been exchanged, which happens once.
  var hasExchangedMTU = false
}
