import AppLink
import ArgumentParser
import Policy

/// How `serve` starts its apps.
enum LaunchFlag: String, EnumerableFlag {
  case foreground
  case background

  /// What an app says of itself.
  var intent: LaunchIntent {
    switch self {
    case .foreground: .foreground
    case .background: .leftForeground
    }
  }

  var mode: LaunchMode {
    switch self {
    case .foreground: .foreground
    case .background: .leftForeground
    }
  }
}
