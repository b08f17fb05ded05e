package import BleperaBluetooth
import BleperaAppLink
package import Glibc

/// Starts apps that the system wants to run again.
package protocol AppLauncher: Sendable {
  /// Starts the app, which then links itself to the system.
  ///
  /// - Parameters:
  ///   - process: how it was started; nil where it has not said.
  ///   - ended: hears, on the loop's thread, that what was started has ended; a sentence's end such as "was killed".
  /// - Returns: the process that says `hello`; nil where it is this one.
  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t?

  /// Ends what was started and has not said who it is.
  func end(_ process: pid_t)
}

/// Why an app cannot be started.
package struct LaunchFailure: Error, Hashable, Sendable {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}
