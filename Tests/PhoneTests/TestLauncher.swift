import BleperaBluetooth
import BleperaAppLink
import BusTesting
import Glibc
import BleperaPhone

/// Writes down what the system wants to be launched; the test does it, or not.
final class TestLauncher: AppLauncher {
  let asked = Mailbox<AppIdentity>()
  let failure: LaunchFailure?

  init(failing failure: LaunchFailure? = nil) { self.failure = failure }

  func launch(
    _ app: AppIdentity, _ process: LaunchDescription?, ended: @escaping @Sendable (String) -> Void
  ) throws(LaunchFailure) -> pid_t? {
    asked.put(app)
    if let failure { throw failure }
    return nil
  }

  func end(_ process: pid_t) {}
}
