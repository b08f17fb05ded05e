import BleperaAir
import BleperaBlueZProtocol
package import BleperaDBus
import BleperaVirtualBlueZ
package import BusTesting
import Synchronization

/// The stage of a case: a program at each of two adapters, an app at the first and a client at the second.
package final class Stage: Sendable {
  package static let appAdapter: ObjectPath = "/org/bluez/hci0"
  package static let clientAdapter: ObjectPath = "/org/bluez/hci1"

  package let radio: any Radio
  package let app: DBusConnection
  package let client: DBusConnection
  /// The signals of org.bluez to the client that nobody has taken.
  package let signals = Mailbox<Signal>()
  /// The addresses of the two adapters.
  package let appAddress: String
  package let clientAddress: String
  private let noted = Mutex<[ContractFailure]>([])

  package init(radio: any Radio, app: DBusConnection, client: DBusConnection) async throws {
    self.radio = radio
    self.app = app
    self.client = client
    appAddress = try await Self.address(Self.appAdapter, client)
    clientAddress = try await Self.address(Self.clientAdapter, client)
    _ = try await client.subscribe(to: MatchRule(sender: BlueZName.bus)) { [signals] signal, _ in
      signals.put(signal)
    }
  }

  private static func address(_ adapter: ObjectPath, _ connection: DBusConnection) async throws -> String {
    let values = try await connection.call(
      call(adapter, .properties, "Get", [.string(BlueZName.adapter.rawValue), .string("Address")]))
    guard let text = values.first?.unwrapped.text else {
      throw ContractFailure("\(adapter) has no address")
    }
    return text
  }

  /// The app's device as the client's adapter knows it.
  package var phone: ObjectPath { Self.clientAdapter.appending(Self.element(appAddress)) }
  /// The client's device as the app's adapter knows it.
  package var central: ObjectPath { Self.appAdapter.appending(Self.element(clientAddress)) }

  private static func element(_ address: String) -> String { "dev_" + address.replacing(":", with: "_") }

  /// The release of bluetoothd: 66 for 5.66.
  package var minor: Int { radio.behavior.minor }

  // MARK: Judging

  package func note(_ failure: ContractFailure) { noted.withLock { $0.append(failure) } }

  package var failures: [ContractFailure] { noted.withLock { $0 } }

  /// Records a difference and continues.
  package func check<Value: Equatable>(
    _ value: Value, _ expected: Value, _ what: String = "", file: String = #fileID, line: Int = #line
  ) {
    guard value != expected else { return }
    let prefix = what.isEmpty ? "" : what + ": "
    note(ContractFailure("\(prefix)\(value) instead of \(expected)", file: file, line: line))
  }

  /// Whether a behaviour of the real bluetoothd is one of the documented differences here.
  package func onReal<Value>(_ real: Value, virtual: Value) -> Value { radio.isReal ? real : virtual }

  package func require<Value>(
    _ value: Value?, _ what: String, file: String = #fileID, line: Int = #line
  ) throws -> Value {
    guard let value else { throw ContractFailure("there is no \(what)", file: file, line: line) }
    return value
  }
}
