import BleperaAir
package import BleperaDBus
import BleperaVirtualBlueZ
import BusTesting

/// The signals of org.bluez to the client.
extension Stage {
  /// Waits for a signal that `match` makes something of.
  @discardableResult
  package func wait<Value>(for match: (Signal) -> Value?) async throws -> Value {
    while true {
      if let value = match(try await signals.next()) { return value }
    }
  }

  /// Waits until a signal says that a property has a value.
  package func wait(for property: String, of path: ObjectPath, toBe value: DBusValue) async throws {
    try await wait { Self.value(of: property, of: path, in: $0) == value ? () : nil }
  }

  /// Waits until a property has a value, as it may already have.
  package func reach(
    _ property: String, of path: ObjectPath, _ interface: InterfaceName, toBe value: DBusValue
  ) async throws {
    guard try await get(path, interface, property) != value else { return }
    try await wait(for: property, of: path, toBe: value)
  }

  package func waitForObject(_ path: ObjectPath, toBeThere isThere: Bool) async throws {
    try await wait { signal -> Void? in
      signal.member == (isThere ? "InterfacesAdded" : "InterfacesRemoved") && signal.arguments[0].path == path
        ? () : nil
    }
  }

  static func change(of property: String, of path: ObjectPath, in signal: Signal) -> DBusValue? {
    signal.member == "PropertiesChanged" ? value(of: property, of: path, in: signal) : nil
  }

  static func value(of property: String, of path: ObjectPath, in signal: Signal) -> DBusValue? {
    switch signal.member {
    case "PropertiesChanged":
      return signal.path == path ? signal.arguments[1].asProperties?[property] : nil
    case "InterfacesAdded":
      guard signal.arguments[0].path == path, case .dictionary(let interfaces) = signal.arguments[1] else { return nil }
      return interfaces.entries.lazy.compactMap { $0.value.asProperties?[property] }.first
    default: return nil
    }
  }
}

extension Stage {
  /// Waits out what would have come by now: there is nothing to wait for where something must not come.
  package func beQuiet() async throws {
    await radio.pass(.seconds(5))
    if radio.isReal { try await Task.sleep(for: .seconds(1.5)) }
  }
}
