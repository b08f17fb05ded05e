import ArgumentParser
import VirtualBlueZ

/// A release of BlueZ that the lab's virtual one was compared with.
enum LabBlueZVersion: String, CaseIterable, ExpressibleByArgument {
  /// Debian 12's.
  case bookworm = "5.66"
  /// Debian 13's.
  case trixie = "5.82"

  func behavior(isExperimental: Bool) -> DaemonBehavior {
    switch self {
    case .bookworm: DaemonBehavior(minor: 66, isExperimental: isExperimental)
    case .trixie: DaemonBehavior(minor: 82, isExperimental: isExperimental)
    }
  }
}
