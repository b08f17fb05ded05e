package import GATT

/// What a central gets for a request.
package enum StageAnswer: Hashable, Sendable {
  /// Empty unless it was a read.
  case value([UInt8])
  case error(ATTError)
  /// The central finds no such characteristic.
  case missing
  case notConnected
  /// There is none within that time.
  case nothing(Duration)
}
