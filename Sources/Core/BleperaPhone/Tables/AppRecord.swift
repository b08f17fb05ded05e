import BleperaBluetooth
import BleperaLoop
import BleperaPhoneLink
import BleperaPreservation
import BleperaRules
import FoundationEssentials
import Glibc

/// An app that the phone knows, running or preserved. Not a value, because each request looks into it several times.
final class AppRecord {
  /// A manager that the app has created, or that is preserved.
  struct Manager {
    let id: ManagerID
    /// Whether its state is preserved and has yet to be sent by `willRestoreState`.
    var isToBeRestored = false
  }

  /// Nil while the app does not run.
  var link: (any AppLinkEnd<PhoneMessage, AppMessage>)?
  /// The number of its link; the number changes with each launch.
  var session = 0
  var identity: AppIdentity
  /// The state that the app was told last.
  var state = AppState.notRunning
  /// How the app's process can be launched again.
  var process: LaunchDescription?
  /// When the phone first knew the app.
  let since: Date
  var ended: AppTermination?
  /// How it ran on the phone before this one, until its process connects or it is launched again.
  var formerExecution: PreservedExecution?
  /// How it was restored, until it is launched; for new watchers.
  var restoration: PhoneEvent?
  /// The process that was launched and has not sent `hello` yet.
  var relaunching: pid_t?
  /// Its process, where the phone has launched it.
  var launched: pid_t?
  /// Its process, where somebody else has launched it and it may be stopped.
  var suspendable: pid_t?
  /// The requests in the messages that were sent to it last, nil for a message without one.
  private(set) var sentRequests: [EventID?] = []
  /// Ends the time in which an app that the user has launched restores its managers before it becomes active.
  var activation: (any LoopTimer)?
  /// What it sent while it was suspended.
  var heldMessages: [AppMessage] = []
  var managers: [Manager] = []
  /// What the user is shown while the app is suspended.
  var alerts: [String] = []
  /// The managers that wait for `didStartAdvertising`.
  var awaitsAdvertising: [ManagerID] = []
  /// Whether an update was rejected and `isReadyToUpdateSubscribers` has yet to be sent.
  var isWaitingToUpdate = false

  init(identity: AppIdentity, since: Date) {
    self.identity = identity
    self.since = since
  }

  var isRunning: Bool { link != nil }
  var isTerminated: Bool { !isRunning }

  /// Whether the app has created the manager, since its launch.
  func has(_ manager: ManagerID) -> Bool { managers.contains { $0.id == manager && !$0.isToBeRestored } }

  /// Whether the manager is the app's, created or still to be restored.
  func keeps(_ manager: ManagerID) -> Bool { managers.contains { $0.id == manager } }

  /// More messages may be unread, but are rarely requests: a central has one.
  private static let longestMemory = 16

  func note(sent message: PhoneMessage) {
    sentRequests.append(message.request)
    if sentRequests.count > Self.longestMemory { sentRequests.removeFirst() }
  }
}

extension PhoneMessage {
  /// The request that the message asks the app about; nil for other messages.
  fileprivate var request: EventID? {
    if case .peripheral(_, .didReceiveRead(let read)) = self { return EventID(rawValue: read.id.rawValue) }
    guard case .peripheral(_, .didReceiveWrite(let writes)) = self else { return nil }
    return writes.first.map { EventID(rawValue: $0.id.rawValue) }
  }
}
