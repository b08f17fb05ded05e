import DBus
import EventLoop

/// Who wants the notifications of a remote characteristic.
struct NotifySession: Sendable {
  /// By StartNotify.
  var clients: Set<BusName> = []
  /// By AcquireNotify.
  var acquired: (owner: BusName, socket: SequencedSocket, source: EventSource)?

  var isEmpty: Bool { clients.isEmpty && acquired == nil }
}
