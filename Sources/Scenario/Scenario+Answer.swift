package import GATT

extension Scenario {
  /// What a central gets for a request.
  package enum Answer: Hashable, Sendable {
    /// It is done; what is read does not matter.
    case done
    case value([UInt8])
    case error(ATTError)
    /// The central finds no such characteristic.
    case missing
    case notConnected
  }
}
