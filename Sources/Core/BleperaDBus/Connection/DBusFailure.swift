import Glibc

/// Why a call or a connection failed.
package enum DBusFailure: Error, Hashable, Sendable {
  /// No bus responds at the address; `reason` is libdbus's error message.
  case cannotConnect(address: BusAddress, reason: String)
  /// The connection was lost or closed, before or during the call.
  case disconnected
  /// No reply within the caller's timeout.
  case timedOut(Duration)
  /// The calling task was cancelled.
  case cancelled
  /// The message cannot be sent: it exceeds a limit of the D-Bus specification.
  case refused(MessageRefusal)
  /// The other side replied with an error.
  case remote(DBusErrorReply)
}

extension DBusFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .cannotConnect(let address, let reason): "no message bus at \(address): \(reason)"
    case .disconnected: "the connection to the message bus is closed"
    case .timedOut(let limit): "no answer within \(limit)"
    case .cancelled: "the call was cancelled"
    case .refused(let refusal): "\(refusal)"
    case .remote(let reply): reply.message.isEmpty ? reply.name.rawValue : "\(reply.name.rawValue): \(reply.message)"
    }
  }
}

/// Where a message bus listens, in the D-Bus specification's address form (`unix:path=...`).
package struct BusAddress: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }

  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` if set, otherwise the specification's well-known socket.
  package static var system: BusAddress {
    guard let value = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else {
      return BusAddress("unix:path=/var/run/dbus/system_bus_socket")
    }
    return unsafe BusAddress(String(cString: value))
  }
}

/// A method call from another connection; reply now or later with `DBusConnection.reply(to:_:)`.
package final class IncomingCall: Sendable {
  /// The unique name of the caller, set by the bus.
  package let sender: BusName?
  package let serial: UInt32
  package let call: MethodCall

  init(sender: BusName?, serial: UInt32, call: MethodCall) {
    self.sender = sender
    self.serial = serial
    self.call = call
  }
}
