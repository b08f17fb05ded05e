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
    /// Answered by `{}`, and from then on by a line for each event.
    case events
    /// The user's force quit.
    case quit
    /// The system ends apps because memory is short.
    case terminate
    /// The phone goes off, with its state on disk.
    case shutdown
    case reboot
    /// Forgets what is preserved of an app that does not run.
    case forget
  }

  /// How a user switches Bluetooth off: iOS treats apps that do not run differently after each (R15).
  public enum Switch: String, Hashable, CaseIterable, Codable, Sendable {
    case settings
    case controlCenter
    case airplaneMode
  }

  public var command: Command
  /// A bundle identifier or a name; nil for all apps. Of the commands that concern apps.
  public var app: String?
  /// Only of `events`: bundle identifiers of the apps whose events are told; nil for all.
  public var apps: [String]?
  /// Only of `bluetoothOff`: how it is switched off, nil for `settings`.
  public var by: Switch?

  public init(_ command: Command, app: String? = nil, apps: [String]? = nil, by: Switch? = nil) {
    self.command = command
    self.app = app
    self.apps = apps
    self.by = by
  }
}
