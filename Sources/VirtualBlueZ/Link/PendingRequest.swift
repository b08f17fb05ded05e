import GATT

/// What a server waits for the application for, before it answers a central.
struct PendingRequest: Hashable, Sendable {
  /// What the answer is for.
  enum Purpose: Hashable, Sendable {
    case read
    case write
    /// The application says whether it may be prepared.
    case prepare(AttributeHandle, offset: Int, [UInt8])
    /// Writes of the same execution that follow.
    case execute(rest: [PreparedWrite])
  }

  let id: RequestID
  let object: ApplicationObject
  let purpose: Purpose
}
