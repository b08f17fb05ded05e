import BleperaAppLink
import BleperaBluetooth
import BleperaPhone
import BusTesting
import Glibc

/// Writes down what the system wants to be launched; the test does it, or not.
final class TestLauncher: AppLauncher {
  let asked = Mailbox<AppIdentity>()
  /// The callbacks that report the end of each process.
  let ends = Mailbox<@Sendable (String) -> Void>()
  let failure: LaunchFailure?
  /// The process that is reported as started.
  let process: pid_t?
  /// Each stop and resumption of a process.
  let signals = Mailbox<String>()

  init(failing failure: LaunchFailure? = nil, process: pid_t? = nil) {
    self.failure = failure
    self.process = process
  }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, byUser: Bool, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? {
    asked.put(app)
    ends.put(ended)
    if let failure { throw failure }
    return self.process
  }

  func end(_ process: pid_t) {}
  func stop(_ process: pid_t, isOwn: Bool) { signals.put("stop \(isOwn ? "" : "peer ")\(process)") }
  func resume(_ process: pid_t) { signals.put("resume \(process)") }
}
