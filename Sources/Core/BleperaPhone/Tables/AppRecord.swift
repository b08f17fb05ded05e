import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import BleperaRules
import FoundationEssentials
import Glibc

/// A link of an app, with the process at its other end.
struct AppConnection {
  let link: any AppLinkEnd<PhoneMessage, AppMessage>
  /// The number of the link.
  let session: Int
  /// Overrides the launch mode that the app states.
  let mode: LaunchMode?
  /// Nil for this process.
  let peer: pid_t?
}

/// An app that the phone knows, running or preserved. Not a value, because each request looks into it several times.
final class AppRecord {
  /// A manager that the app has created, or that is preserved.
  struct Manager {
    let id: ManagerID
    /// Whether the manager's state is preserved and has yet to be sent by `willRestoreState`.
    var isToBeRestored = false
  }

  /// The app's process: ended -> launching, running; launching -> ended, running; running -> ended.
  private enum Phase {
    case ended
    /// The phone has launched the process, which has not sent `hello` yet.
    case launching(pid_t)
    case running(AppConnection, StoppableProcess?)
  }

  /// The app's process, where the phone stops it while the app is suspended.
  struct StoppableProcess {
    let id: pid_t
    /// Whether the phone has launched the process.
    let isOwn: Bool
  }

  /// How the app was when the phone started, until it is launched.
  struct Former {
    let execution: PreservedExecution?
    /// The event of the app's restoration, for new watchers.
    let restoration: PhoneEvent
  }

  private var phase = Phase.ended
  /// The number of its last link; the number changes with each launch.
  private(set) var session = 0
  private(set) var identity: AppIdentity
  /// How the app's process can be launched again.
  private(set) var process: LaunchDescription?
  /// When the phone first knew the app.
  let since: Date
  private(set) var managers: [Manager] = []
  /// The requests in the messages that were sent to it last, nil for a message without one.
  private(set) var sentRequests: [EventID?] = []
  /// The messages that the app sent while it was suspended.
  private var heldMessages: [AppMessage] = []
  /// The state of which the app was notified last.
  var state = AppState.notRunning
  var ended: AppTermination?
  var former: Former?
  /// Ends the time in which an app that the user has launched restores its managers before it becomes active.
  var activation: (any LoopTimer)?
  /// The alerts that the user sees while the app is suspended.
  var alerts: [String] = []
  /// The managers that wait for `didStartAdvertising`.
  var awaitsAdvertising: [ManagerID] = []
  /// Whether an update was rejected and `isReadyToUpdateSubscribers` has yet to be sent.
  var isWaitingToUpdate = false

  init(identity: AppIdentity, since: Date) {
    self.identity = identity
    self.since = since
  }

  /// Restores an app that does not run.
  init(_ preserved: PreservedApp, launched process: LaunchDescription?, ended: AppTermination, _ former: Former) {
    (identity, since) = (preserved.identity, preserved.since)
    (self.process, self.ended, self.former) = (process, ended, former)
    managers = preserved.managers.map { Manager(id: $0.id, isToBeRestored: true) }
  }

  // MARK: The process

  /// Nil while the app does not run.
  var link: (any AppLinkEnd<PhoneMessage, AppMessage>)? {
    if case .running(let connection, _) = phase { connection.link } else { nil }
  }

  var isRunning: Bool { link != nil }
  var isTerminated: Bool { !isRunning }

  /// The process that was launched and has not sent `hello` yet.
  var launching: pid_t? { if case .launching(let process) = phase { process } else { nil } }

  /// Whether the phone has launched this process.
  func hasLaunched(_ process: pid_t?) -> Bool { launching != nil && launching == process }

  var stoppable: StoppableProcess? { if case .running(_, let process) = phase { process } else { nil } }

  /// The app's process has sent `hello`.
  func connect(_ connection: AppConnection, as identity: AppIdentity, _ process: LaunchDescription?, mayStop: Bool) {
    let isOwn = hasLaunched(connection.peer) && process?.isHost != true
    let stoppable = isOwn || mayStop ? connection.peer.map { StoppableProcess(id: $0, isOwn: isOwn) } : nil
    phase = .running(connection, stoppable)
    (session, self.identity, self.process) = (connection.session, identity, process)
    (ended, heldMessages) = (nil, [])
  }

  /// - Parameter process: nil for one of which the phone knows nothing before `hello`.
  func launch(_ process: pid_t?) {
    if isTerminated { phase = process.map { .launching($0) } ?? .ended }
  }

  /// The process has ended, or its link.
  func end() { phase = .ended }

  // MARK: Managers

  /// Whether the app has created the manager, since its launch.
  func has(_ manager: ManagerID) -> Bool { managers.contains { $0.id == manager && !$0.isToBeRestored } }

  /// Whether the manager is the app's, created or still to be restored.
  func keeps(_ manager: ManagerID) -> Bool { managers.contains { $0.id == manager } }

  /// The app has created the manager, which is new or preserved.
  func created(_ manager: ManagerID) {
    let index = managers.firstIndex { $0.id == manager }
    if let index { managers[index].isToBeRestored = false } else { managers.append(Manager(id: manager)) }
  }

  func forget(_ manager: ManagerID) { managers.removeAll { $0.id == manager } }

  /// Keeps the managers with a restoration identifier, to be restored; returns the others.
  func endManagers() -> [ManagerID] {
    defer {
      managers = managers.filter { $0.id.restoreIdentifier != nil }.map { Manager(id: $0.id, isToBeRestored: true) }
    }
    return managers.map(\.id).filter { $0.restoreIdentifier == nil }
  }

  // MARK: Messages

  /// How many messages of a suspended app of this process are held; the link of an app that sends more is closed. The
  /// socket of another process is not read meanwhile.
  private static let longestHold = 1024

  var holdsMessages: Bool { !heldMessages.isEmpty }

  /// Holds a message until the app runs again; false for too many messages.
  func hold(_ message: AppMessage) -> Bool {
    guard heldMessages.count < Self.longestHold else { return false }
    heldMessages.append(message)
    return true
  }

  func takeHeldMessage() -> AppMessage? { heldMessages.isEmpty ? nil : heldMessages.removeFirst() }

  /// More messages may be unread, but are rarely requests: a central has one.
  private static let longestMemory = 16

  func note(sent message: PhoneMessage) {
    sentRequests.append(message.request.map { EventID($0) })
    if sentRequests.count > Self.longestMemory { sentRequests.removeFirst() }
  }
}

extension PhoneMessage {
  /// The request that the message asks the app about; nil for other messages.
  fileprivate var request: RequestID? {
    if case .peripheral(_, .didReceiveRead(let read)) = self { return read.id }
    if case .peripheral(_, .didReceiveWrite(let writes)) = self { return writes.first?.id }
    return nil
  }
}
