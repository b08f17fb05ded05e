/// The answer to a `ControlRequest`: one JSON object on a line.
public struct ControlReply: Hashable, Codable, Sendable {
  /// A whole sentence; nil where it was done.
  public var error: String?
  /// The answer to `status`.
  public var status: SystemStatus?

  public init(error: String? = nil, status: SystemStatus? = nil) {
    self.error = error
    self.status = status
  }

  public static let done = ControlReply()
}
