import BleperaBlueZProtocol
package import BleperaDBus
import BleperaEventLoop
import BleperaLoop

/// Follows bluetoothd on a bus: its start and end, its objects and their changes.
///
/// Events are reported on the loop's thread, in the bus's order.
package actor DaemonObserver: LoopActor {
  package enum Event: Sendable {
    /// bluetoothd has started, ended or been replaced; carries its unique name, nil while bluetoothd is not running.
    /// Objects known before are invalid. `isBusLost` if the connection to the bus has ended, and so nothing is known.
    case daemon(BusName?, isBusLost: Bool)
    /// The result of GetManagedObjects.
    case objects(DBusValue)
    /// A signal of bluetoothd's object manager, of a property or of a disconnection.
    case signal(Signal)
    /// The connection to the bus has ended.
    case busLost
  }

  /// The delay before objects are requested again from a bluetoothd that is busy or does not permit access yet.
  private static let retryDelay = Duration.seconds(1)

  private let connection: DBusConnection
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe connection.unownedExecutor }
  package nonisolated var isOnLoop: Bool { connection.isOnLoop }
  private let report: @Sendable (Event) -> Void
  /// The unique name of bluetoothd; nil while it is not running.
  package private(set) var daemon: BusName?
  /// Whether the owner of org.bluez is known, so that nil means no owner.
  private var isOwnerKnown = false
  private var retry: EventSource?

  package init(connection: DBusConnection, report: @escaping @Sendable (Event) -> Void) {
    self.connection = connection
    self.report = report
  }

  package func start() async throws(DBusFailure) {
    await connection.onDisconnect(
      callback { this in
        this.change(to: nil, isBusLost: true)
        this.report(.busLost)
      })
    _ = try await connection.subscribe(
      to: MatchRule(sender: .bus, interface: .bus, member: "NameOwnerChanged", arg0: BlueZName.bus.rawValue),
      callback { this, signal, _ in this.change(to: signal.arguments.last?.text.flatMap { BusName($0) }) })
    for rule in [
      MatchRule(sender: BlueZName.bus, interface: .objectManager),
      MatchRule(sender: BlueZName.bus, interface: .properties, pathNamespace: BlueZName.root),
      MatchRule(sender: BlueZName.bus, interface: BlueZName.device, member: "Disconnected"),
    ] {
      // The bus sets the sender of each signal, which is a unique name.
      _ = try await connection.subscribe(
        to: rule,
        callback { this, signal, sender in
          guard sender == this.daemon else { return }
          this.report(.signal(signal))
        })
    }
    findOwner()
  }

  private func findOwner() {
    // Handled in the bus's order, so that a change after the reply is handled after the reply.
    let completion = callback { (this: isolated DaemonObserver, result: Result<BusName?, DBusFailure>) in
      switch result {
      case .success(let owner): this.change(to: owner)
      case .failure where this.isOwnerKnown: break
      case .failure:
        this.retry = this.connection.loop.schedule(after: Self.retryDelay, this.callback { $0.findOwner() })
      }
    }
    connection.assumeIsolated { $0.startFindingOwner(of: BlueZName.bus, completion) }
  }

  private func change(to owner: BusName?, isBusLost: Bool = false) {
    guard owner != daemon || !isOwnerKnown else { return }
    isOwnerKnown = true
    daemon = owner
    retry = nil
    report(.daemon(owner, isBusLost: isBusLost))
    if owner != nil { requestObjects() }
  }

  private func requestObjects() {
    guard let owner = daemon else { return }
    let completion = callback { (this: isolated DaemonObserver, result: Result<[DBusValue], DBusFailure>) in
      guard this.daemon == owner else { return }
      if case .success(let values) = result, let objects = values.first { return this.report(.objects(objects)) }
      this.retry = this.connection.loop.schedule(after: Self.retryDelay, this.callback { $0.requestObjects() })
    }
    connection.assumeIsolated { _ = $0.start(.managedObjects, completion) }
  }
}

/// A change of one interface of one of bluetoothd's objects.
enum ObjectChange: Hashable, Sendable {
  case added(ObjectPath, InterfaceName, [String: DBusValue])
  case removed(ObjectPath, InterfaceName)
  /// `invalidated` properties no longer have a value.
  case changed(ObjectPath, InterfaceName, [String: DBusValue], invalidated: [String])

  /// Reads the result of GetManagedObjects, one object at a time: bluetoothd remembers hundreds of devices. Malformed
  /// parts are ignored.
  static func added(managedObjects: DBusValue) -> some Sequence<ObjectChange> {
    let entries =
      if case .dictionary(let objects) = managedObjects { objects.entries } else { [DBusDictionary.Entry]() }
    return entries.lazy.flatMap { key, value -> [ObjectChange] in
      guard let path = key.path else { return [] }
      return added(path, value)
    }
  }

  /// Empty for a signal of another interface or a malformed signal.
  static func changes(of signal: Signal) -> [ObjectChange] {
    let arguments = signal.arguments
    switch (signal.interface, signal.member) {
    case (.objectManager, "InterfacesAdded"):
      guard arguments.count == 2, let path = arguments[0].path else { return [] }
      return added(path, arguments[1])
    case (.objectManager, "InterfacesRemoved"):
      guard arguments.count == 2, let path = arguments[0].path, let names = arguments[1].stringArray else { return [] }
      return names.compactMap { InterfaceName($0) }.map { .removed(path, $0) }
    case (.properties, "PropertiesChanged"):
      guard arguments.count == 3, let name = arguments[0].text.flatMap({ InterfaceName($0) }),
        let properties = arguments[1].asProperties
      else { return [] }
      return [.changed(signal.path, name, properties, invalidated: arguments[2].stringArray ?? [])]
    default: return []
    }
  }

  private static func added(_ path: ObjectPath, _ value: DBusValue) -> [ObjectChange] {
    guard case .dictionary(let interfaces) = value else { return [] }
    return interfaces.entries.compactMap { key, value in
      guard let name = key.text.flatMap({ InterfaceName($0) }), let properties = value.asProperties else { return nil }
      return .added(path, name, properties)
    }
  }
}
