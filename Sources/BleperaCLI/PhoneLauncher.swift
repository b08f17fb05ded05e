import AppLink
import Glibc
import System

/// Starts the apps of a phone in this process again.
final class PhoneLauncher: AppLauncher {
  private let relaunch: @Sendable (AppIdentity) -> Bool

  /// - Parameter relaunch: called on the loop's thread; false where the phone has no such app.
  init(_ relaunch: @escaping @Sendable (AppIdentity) -> Bool) { self.relaunch = relaunch }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? {
    guard relaunch(app) else { throw LaunchFailure(reason: "the phone has no such app") }
    return nil
  }

  func end(_ process: pid_t) {}
}
