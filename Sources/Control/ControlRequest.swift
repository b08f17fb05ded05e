/// What a user asks of a running system: one JSON object on a line.
public struct ControlRequest: Hashable, Codable, Sendable {
  public enum Command: String, Hashable, CaseIterable, Codable, Sendable {
    case foreground
    case background
    case suspend
    /// The screen goes off.
    case lock
    case unlock
    case bluetoothOff
    case bluetoothOn
    /// Below powered off, and on again: apps must publish anew.
    case bluetoothReset
    case status
  }

  public var command: Command
  /// A bundle identifier or a name; nil for all apps. Only of `foreground`, `background` and `suspend`.
  public var app: String?

  public init(_ command: Command, app: String? = nil) {
    self.command = command
    self.app = app
  }
}
