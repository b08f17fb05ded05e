import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaVirtualBlueZ
import Synchronization

/// A program at an adapter of its own, which connects to the phone and uses it over D-Bus.
final class TestedCentral: Sendable {
  private struct State {
    /// The number of received values, by characteristic.
    var values: [ObjectPath: Int] = [:]
    var objects: [String: ObjectPath] = [:]
    var descriptor: ObjectPath?
  }

  let number: Int
  /// The central's address, as the phone reports it.
  let address: String
  private let connection: DBusConnection
  private let adapter: ObjectPath
  private let phone: ObjectPath
  private let state = Mutex(State())

  init(number: Int, bus: BusAddress, loop: EventLoop) async throws {
    self.number = number
    address = "00:AA:01:00:00:0\(number + 1)"
    adapter = BlueZName.root.appending("hci\(number + 1)")
    phone = adapter.appending("dev_00_AA_01_00_00_00")
    connection = try await DBusConnection.open(bus, on: loop)
    let rule = MatchRule(sender: BlueZName.bus, member: "PropertiesChanged", pathNamespace: phone)
    _ = try await connection.subscribe(to: rule) { [weak self] signal, _ in
      guard signal.arguments.first?.text == BlueZName.gattCharacteristic.rawValue,
        signal.arguments.dropFirst().first?.asProperties?["Value"] != nil
      else { return }
      self?.state.withLock { $0.values[signal.path, default: 0] += 1 }
    }
  }

  func close() async { await connection.close() }

  /// Finds the phone, connects to it and waits for its services.
  func connect() async throws {
    try await call(adapter, BlueZName.adapter, "StartDiscovery")
    try await Polling.wait(for: "advertisement of the phone") { try await self.managed()[self.phone] != nil }
    try await call(phone, BlueZName.device, "Connect")
    try await Polling.wait(for: "services of the phone") { try await self.findObjects() }
    try await call(adapter, BlueZName.adapter, "StopDiscovery")
  }

  // MARK: Operations

  func perform(_ operation: Operation) async throws(DBusFailure) {
    switch operation {
    case .subscribe(let topic): try await callTopic(topic, "StartNotify")
    case .unsubscribe(let topic):
      try await callTopic(topic, "StopNotify")
      _ = try await readCached(0)
    case .write(let value):
      try await call(
        path(TortureProfile.written(by: number)), BlueZName.gattCharacteristic, "WriteValue",
        [.bytes(value), .properties([])])
    case .read: _ = try await read()
    case .describe(let value):
      try await call(descriptor, BlueZName.gattDescriptor, "WriteValue", [.bytes(value), .properties([])])
    case .readCached: _ = try await readCached(1)
    }
  }

  func read() async throws(DBusFailure) -> [UInt8] {
    try await read(path(TortureProfile.written(by: number)), BlueZName.gattCharacteristic)
  }

  func readDescription() async throws(DBusFailure) -> [UInt8] { try await read(descriptor, BlueZName.gattDescriptor) }

  /// Reads the cached value of the service with that number.
  func readCached(_ service: Int) async throws(DBusFailure) -> [UInt8] {
    try await read(path(TortureProfile.cached[service]), BlueZName.gattCharacteristic)
  }

  /// Connects after a restart of the phone, without the values cached on this side.
  func subscribeAgain(_ topic: Int) async throws(DBusFailure) {
    _ = try? await callTopic(topic, "StopNotify")
    try await callTopic(topic, "StartNotify")
  }

  /// The number of received values of a characteristic.
  func values(of topic: Int) -> Int {
    let path = path(TortureProfile.topic(topic))
    return state.withLock { $0.values[path] ?? 0 }
  }

  // MARK: Calls

  private func callTopic(_ topic: Int, _ member: MemberName) async throws(DBusFailure) {
    try await call(path(TortureProfile.topic(topic)), BlueZName.gattCharacteristic, member)
  }

  private func read(_ path: ObjectPath, _ interface: InterfaceName) async throws(DBusFailure) -> [UInt8] {
    try await call(path, interface, "ReadValue", [.properties([])]).first?.byteArray ?? []
  }

  @discardableResult
  private func call(
    _ path: ObjectPath, _ interface: InterfaceName, _ member: MemberName, _ arguments: [DBusValue] = []
  ) async throws(DBusFailure) -> [DBusValue] {
    try await connection.call(
      MethodCall(destination: BlueZName.bus, path: path, interface: interface, member: member, arguments: arguments))
  }

  /// The paths contain handles, so that a change of handles is noticed.
  private func path(_ uuid: String) -> ObjectPath { state.withLock { $0.objects[uuid] } ?? .root }

  private var descriptor: ObjectPath { state.withLock { $0.descriptor } ?? .root }

  private func managed() async throws(DBusFailure) -> [ObjectPath: DBusDictionary] {
    let answer = try await call(.root, .objectManager, "GetManagedObjects")
    guard case .dictionary(let objects)? = answer.first else { return [:] }
    var found: [ObjectPath: DBusDictionary] = [:]
    for entry in objects.entries {
      guard let path = entry.key.path, case .dictionary(let interfaces) = entry.value else { continue }
      found[path] = interfaces
    }
    return found
  }

  /// Whether all attributes of the app have been discovered.
  private func findObjects() async throws(DBusFailure) -> Bool {
    let wanted =
      (0..<TortureProfile.topics).map(TortureProfile.topic)
      + (0..<TortureProfile.centrals).map(TortureProfile.written) + TortureProfile.cached
    let names = Dictionary(uniqueKeysWithValues: wanted.map { (TortureProfile.long($0), $0) })
    var found = State()
    let managed = try await managed()
    for (path, interfaces) in managed where phone.isAncestor(of: path) {
      guard let uuid = interfaces[BlueZName.gattCharacteristic.rawValue]?.asProperties?["UUID"]?.text,
        let name = names[uuid]
      else { continue }
      found.objects[name] = path
      guard name == TortureProfile.written(by: number) else { continue }
      found.descriptor =
        managed.first { other, interfaces in
          path.isAncestor(of: other)
            && interfaces[BlueZName.gattDescriptor.rawValue]?.asProperties?["UUID"]?.text == TortureProfile.long("2901")
        }?.key
    }
    guard found.objects.count == wanted.count, found.descriptor != nil else { return false }
    let objects = found
    state.withLock { $0 = objects }
    return true
  }
}
