import DBus
import EventLoop

/// Who wants the notifications of a remote characteristic.
struct NotifySession: Sendable {
  /// By StartNotify.
  var clients: Set<BusName> = []
  /// Whether the device has been told, which it is again after every connection.
  var isTold = false
  /// By AcquireNotify.
  var acquired: (owner: BusName, socket: SequencedSocket, source: EventSource)?

  var isEmpty: Bool { clients.isEmpty && acquired == nil }
}
