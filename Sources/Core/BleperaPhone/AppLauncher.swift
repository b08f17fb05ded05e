import BleperaAppLink
package import BleperaBluetooth
package import Glibc

/// Launches apps that the system relaunches.
package protocol AppLauncher: Sendable {
  /// The part of a launch description that the phone stores; nil for an app that it never starts again.
  func storable(_ process: LaunchDescription) -> LaunchDescription?

  /// Whether the phone cannot start the app, so that its user has to.
  func isLaunchedByUserOnly(_ process: LaunchDescription?) -> Bool

  /// Starts the app, which then connects to the system.
  ///
  /// - Parameters:
  ///   - process: how the app was started before; nil where that is unknown.
  ///   - byUser: whether the user launches the app, into the foreground, and not the system, into the background.
  ///   - ended: called on the loop's thread when the started process has exited; a predicate such as "was killed".
  /// - Returns: the process that will send `hello`; nil for this process.
  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, byUser: Bool, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t?

  /// Ends a process that was started and has not sent `hello`.
  func end(_ process: pid_t)

  /// Stops a process, until `resume`.
  ///
  /// - Parameter isOwn: whether the launcher has started the process; then those that it has started are stopped too.
  func stop(_ process: pid_t, isOwn: Bool)

  func resume(_ process: pid_t)
}

extension AppLauncher {
  package func storable(_ process: LaunchDescription) -> LaunchDescription? { process }
  package func isLaunchedByUserOnly(_ process: LaunchDescription?) -> Bool { false }
  package func stop(_ process: pid_t, isOwn: Bool) {}
  package func resume(_ process: pid_t) {}
}

/// Why an app cannot be started.
package struct LaunchFailure: Error, Hashable, Sendable {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}
