/// How an app's process was started, and can be started again.
public struct LaunchDescription: Hashable, Codable, Sendable {
  /// The program and what follows it.
  public var arguments: [String]
  /// The working directory, an absolute path.
  public var folder: String
  public var environment: [String: String]

  public init(arguments: [String], folder: String, environment: [String: String]) {
    self.arguments = arguments
    self.folder = folder
    self.environment = environment
  }
}
