/// Why a document gives no state.
package enum StateDocumentError: Error, Hashable, Sendable {
  case damaged(Damage)
  case newerVersion(Int)
}

extension StateDocumentError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged(let damage): "the preserved state \(damage); move it away, and start the apps again."
    case .newerVersion(let version):
      """
      the preserved state is of version \(version), and this blepera knows \(StateDocument.version) at most; use the \
      blepera that wrote it, or move it away and start the apps again.
      """
    }
  }
}
