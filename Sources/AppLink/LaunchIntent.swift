/// Where an app wants to be when it is launched. One that the system has relaunched is in the background, whatever it
/// says.
public enum LaunchIntent: String, Hashable, Codable, CaseIterable, Sendable {
  /// The user has tapped its icon.
  case foreground
  /// As one that advertised in the foreground and then left.
  case leftForeground
  /// As one that the user left a while ago: in the background with what it has.
  case background
}
