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

  /// Calls org.bluez as the client, and returns the signals that came before the answer and are not taken, which stay.
  package func signals(beforeAnswerOf call: MethodCall) async throws -> [Signal] {
    let answers = Mailbox<Result<[Signal], DBusFailure>>()
    _ = await client.start(call, timeout: .seconds(30)) { [signals] answer in
      answers.put(answer.map { _ in signals.left })
    }
    return try await answers.next().get()
  }

  /// The properties of the phone that became false before the answer.
  package func ended(beforeAnswerOf call: MethodCall) async throws -> [String] {
    let before = try await signals(beforeAnswerOf: call)
    check(before.contains { $0.member == "InterfacesRemoved" && $0.arguments[0].path == phone }, false, "removed")
    return ["ServicesResolved", "Connected"].filter { name in
      before.contains { Self.change(of: name, of: phone, in: $0) == .boolean(false) }
    }
  }

  package static func change(of property: String, of path: ObjectPath, in signal: Signal) -> DBusValue? {
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
