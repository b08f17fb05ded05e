import BleperaBlueZProtocol
import BleperaDBus
import TestSupport
import Testing

@testable import BleperaBlueZ

/// Events for a `RegistrationMachine` and the actions that it must return, as `TraceLines`:
/// `add app1 -> register app1 hci0 #1`.
///
/// `? isSettled yes` and `? isRegistered app1 no` query the machine.
struct Trace: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let lines: TraceLines

  /// How a trace begins.
  enum Beginning: String {
    case empty = ""
    /// Registers an advertisement.
    case registered = """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1

      """
  }

  init(_ name: String, after beginning: Beginning = .empty, _ text: String) {
    testDescription = name
    lines = TraceLines(beginning.rawValue + text)
  }

  func differences() -> [String] {
    var machine = RegistrationMachine()
    return lines.differences { line in
      guard line.isQuery else {
        return machine.handle(Self.event(line.words)).map(Self.text).joined(separator: ", ")
      }
      let isTrue = line.words[0] == "isSettled" ? machine.isSettled : machine.isRegistered(Self.item(line.words[1]))
      return isTrue ? "yes" : "no"
    }
  }

  private static func event(_ words: [String]) -> RegistrationMachine.Event {
    switch words[0] {
    case "targetChanged":
      guard words[1] != "none" else { return .targetChanged(nil) }
      return .targetChanged(.init(adapter: adapter(words[1]), isPowered: words[2] == "on"))
    case "add":
      // `add app3 after app1 app2`
      return .add(item(words[1]), after: words.dropFirst(3).map { item($0) })
    case "remove": return .remove(item(words[1]))
    case "replace":
      // `replace -ad2 ad0 *ad1`: removed, wanted without a change, wanted with changed content.
      let others = words.dropFirst().filter { !$0.hasPrefix("-") }
      return .replace(
        removed: words.filter { $0.hasPrefix("-") }.map { item(String($0.dropFirst())) },
        wanted: others.map { item($0.hasPrefix("*") ? String($0.dropFirst()) : $0) },
        changed: others.filter { $0.hasPrefix("*") }.map { item(String($0.dropFirst())) })
    case "refresh": return .refresh(item(words[1]))
    case "released": return .released(item(words[1]))
    case "registered": return .registered(item(words[1]), attempt(words[2]))
    case "failed": return .failed(item(words[1]), attempt(words[2]), failure(words[3]))
    case "unregistered": return .unregistered(item(words[1]), attempt(words[2]))
    case "retryDue": return .retryDue(item(words[1]), attempt(words[2]))
    default: preconditionFailure("unknown event \(words)")
    }
  }

  private static func text(_ action: RegistrationMachine.Action) -> String {
    switch action {
    case .register(let item, let adapter, let attempt): "register \(name(item)) \(adapter.lastElement) #\(attempt)"
    case .unregister(let item, let adapter, let attempt): "unregister \(name(item)) \(adapter.lastElement) #\(attempt)"
    case .retry(let item, let attempt, let delay): "retry \(name(item)) #\(attempt) \(delay)"
    case .didRegister(let item): "didRegister \(name(item))"
    case .didFail(let item, let failure, let count): "didFail \(name(item)) \(name(failure)) \(count)"
    case .didLose(let item): "didLose \(name(item))"
    case .didUnregister(let item): "didUnregister \(name(item))"
    }
  }

  static func adapter(_ name: String) -> ObjectPath { BlueZName.root.appending(name) }

  private static func item(_ text: String) -> Registration {
    let number = Int(text.drop { !$0.isNumber }) ?? 0
    return text.hasPrefix("app") ? .application(number) : .advertisement(number)
  }

  private static func name(_ item: Registration) -> String {
    switch item {
    case .application(let number): "app\(number)"
    case .advertisement(let number): "ad\(number)"
    }
  }

  private static func attempt(_ text: String) -> Int { Int(text.dropFirst()) ?? -1 }

  private static func failure(_ text: String) -> DBusFailure {
    switch text {
    case "timeout": .timedOut(.seconds(10))
    case "disconnected": .disconnected
    default: .remote(DBusErrorReply(name: ErrorName("org.bluez.Error." + text) ?? .failed, message: ""))
    }
  }

  private static func name(_ failure: DBusFailure) -> String {
    switch failure {
    case .timedOut: "timeout"
    case .disconnected: "disconnected"
    case .remote(let error): String(error.name.rawValue.dropFirst("org.bluez.Error.".count))
    case .cannotConnect, .cancelled, .refused: "\(failure)"
    }
  }
}
