package import GATT

/// Why an operation of a central came to nothing.
package enum ClientFailure: Error, Hashable, Sendable {
  case att(ATTError)
  case notConnected
  /// The connection has ended before the answer came.
  case disconnected
  case pairing(PairingFailure)
}
