import Glibc

/// Where a message bus listens, in the D-Bus specification's address form (`unix:path=...`).
package struct BusAddress: Hashable, Sendable, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }

  package var description: String { text }

  /// The system bus: `DBUS_SYSTEM_BUS_ADDRESS` where it is set, otherwise the specification's well-known socket.
  package static var system: BusAddress {
    guard let value = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else {
      return BusAddress("unix:path=/var/run/dbus/system_bus_socket")
    }
    return unsafe BusAddress(String(cString: value))
  }
}
