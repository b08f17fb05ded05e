import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import FoundationEssentials
import Glibc

/// An app that the phone knows, running or preserved.
struct AppRecord {
  /// Nil while it does not run.
  var link: (any AppLinkEnd<PhoneMessage, AppMessage>)?
  /// The number of its link; the number changes with each launch.
  var session: Int
  var identity: AppIdentity
  /// How its process can be launched again.
  var process: LaunchDescription?
  /// When the phone first knew it.
  let since: Date
  var ended: AppTermination?
  /// The process that was launched and has not said hello yet.
  var relaunching: pid_t?
  /// Whether `didStartAdvertising` is owed.
  var awaitsAdvertising = false
  /// Whether an update was turned away and `isReadyToUpdateSubscribers` is owed.
  var isWaitingToUpdate = false

  init(link: (any AppLinkEnd<PhoneMessage, AppMessage>)?, session: Int, identity: AppIdentity, since: Date) {
    self.link = link
    self.session = session
    self.identity = identity
    self.since = since
  }
}
