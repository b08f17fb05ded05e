package import GATT

/// The ATT PDU that does not arrive any more, nor anything after it; counted from the order on.
package enum LinkCut: Hashable, Sendable {
  /// From 1.
  case pdu(Int)
  case first(ATTOpcode)
}
