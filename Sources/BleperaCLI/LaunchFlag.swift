import ArgumentParser
import Policy

/// How `serve` starts its apps.
enum LaunchFlag: String, EnumerableFlag {
  case foreground
  case background

  var mode: LaunchMode {
    switch self {
    case .foreground: .foreground
    case .background: .leftForeground
    }
  }
}
