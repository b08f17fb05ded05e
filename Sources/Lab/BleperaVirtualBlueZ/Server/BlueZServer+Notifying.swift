import BleperaAir
import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaHost
import BleperaLoop

/// Notifications of a connected device, by signal or file descriptor; writes by file descriptor.
extension BlueZServer {
  /// The write of the Client Characteristic Configuration; prefers notifications to indications.
  private static func configuration(_ characteristic: RemoteCharacteristic, isOn: Bool) -> GATTProcedure? {
    let flags = AttributeFlags(rawValue: UInt32(characteristic.properties))
    guard flags.isSubscribable, let descriptor = characteristic.clientConfiguration else { return nil }
    let value: UInt8 = isOn ? (flags.contains(.notify) ? 1 : 2) : 0
    return .write(descriptor, [value, 0])
  }

  /// A server refuses a configuration for both, which a client of an old release writes.
  private func refusesBoth(_ characteristic: RemoteCharacteristic, _ call: IncomingCall) -> Bool {
    let flags = AttributeFlags(rawValue: UInt32(characteristic.properties))
    guard options.behavior.has(.subscribesToBoth), flags.isSuperset(of: [.notify, .indicate]) else { return false }
    refuse(call, GATTClientErrors.reply(to: .cccdImproperlyConfigured))
    return true
  }

  func startNotify(
    _ characteristic: RemoteCharacteristic, at path: ObjectPath, over connection: ConnectionID?, for sender: BusName,
    _ call: IncomingCall
  ) {
    guard let operation = Self.configuration(characteristic, isOn: true) else { return refuse(call, .notSupported) }
    let session = sessions[path] ?? NotifySession()
    guard session.acquired == nil else { return refuse(call, .notPermitted("Notify acquired")) }
    guard session.clients.isEmpty, let connection else {
      // Without a connection, the configuration is written at the next connection.
      sessions[path, default: NotifySession()].clients.insert(sender)
      return reply(call, .success([]))
    }
    guard !refusesBoth(characteristic, call) else { return }
    // A peer may notify before it responds.
    sessions[path] = session
    operate(connection, operation) { this, result in
      switch result {
      case .success:
        guard this.remoteAttributes[path] != nil else { return this.refuse(call, .failed("Not connected")) }
        this.sessions[path, default: NotifySession()].clients.insert(sender)
        this.sessions[path]?.isConfigured = true
        this.set(path, BlueZName.gattCharacteristic, "Notifying", to: .boolean(true))
        this.reply(call, .success([]))
      case .failure(let failure):
        if this.sessions[path]?.isEmpty == true { this.sessions[path] = nil }
        this.refuse(call, DBusErrorReply(failure))
      }
    }
  }

  /// Writes the configurations that clients still want to a reconnected device, by the handles of the connection
  /// before: bluetoothd does not wait for the discovery (measured).
  func resumeSessions(of key: DeviceKey, over connection: ConnectionID) {
    for (path, attribute) in remoteAttributes.sorted(by: { $0.key < $1.key }) where attribute.device == key {
      guard case .characteristic(let characteristic) = attribute.kind, let session = sessions[path],
        !session.isConfigured, !session.clients.isEmpty, let operation = Self.configuration(characteristic, isOn: true)
      else { continue }
      sessions[path]?.isConfigured = true
      operate(connection, operation) { this, result in
        guard case .success = result, this.sessions[path] != nil else { return }
        this.set(path, BlueZName.gattCharacteristic, "Notifying", to: .boolean(true))
      }
    }
  }

  func stopNotify(_ path: ObjectPath, _ sender: BusName, _ call: IncomingCall) {
    guard sessions[path]?.clients.contains(sender) == true else {
      return refuse(call, .failed("No notify session started"))
    }
    leave(path, sender)
    reply(call, .success([]))
  }

  /// Removes a client; the last one ends the subscription.
  private func leave(_ path: ObjectPath, _ client: BusName) {
    guard sessions[path]?.clients.remove(client) != nil, sessions[path]?.isEmpty == true else { return }
    sessions[path] = nil
    set(path, BlueZName.gattCharacteristic, "Notifying", to: .boolean(false))
    unsubscribe(path)
  }

  private func unsubscribe(_ path: ObjectPath) {
    guard let attribute = remoteAttributes[path], case .characteristic(let characteristic) = attribute.kind,
      let connection = devices[attribute.device]?.connection,
      let operation = Self.configuration(characteristic, isOn: false)
    else { return }
    operate(connection, operation) { _, _ in }
  }

  func acquireNotify(
    _ characteristic: RemoteCharacteristic, at path: ObjectPath, over connection: ConnectionID, for sender: BusName,
    _ call: IncomingCall
  ) {
    guard sessions[path]?.acquired == nil else { return refuse(call, .notPermitted("Notify acquired")) }
    guard sessions[path]?.clients.isEmpty ?? true else { return refuse(call, .inProgress) }
    let isNotified = AttributeFlags(rawValue: UInt32(characteristic.properties)).contains(.notify)
    guard isNotified || !options.behavior.has(.acquiresNotificationsAlone),
      let operation = Self.configuration(characteristic, isOn: true)
    else { return refuse(call, .notSupported) }
    guard !refusesBoth(characteristic, call) else { return }
    operate(connection, operation) { this, result in
      switch result {
      case .success:
        guard this.remoteAttributes[path] != nil, let (socket, clientEnd) = SequencedSocket.pair() else {
          return this.refuse(call, .failed("Not connected"))
        }
        let source = socket.watch(on: this.loop) { _ in
        } end: { [weak this] in
          this?.assumeIsolated { $0.endAcquired(path) }
        }
        this.sessions[path, default: NotifySession()].acquired = (sender, socket, source)
        this.setNotifyAcquired(path, true)
        this.reply(call, .success([.unixFD(clientEnd), .uint16(this.mtu(connection))]))
      case .failure(let failure): this.refuse(call, DBusErrorReply(failure))
      }
    }
  }

  private func mtu(_ connection: ConnectionID) -> UInt16 { UInt16(clamping: mtu(of: connection)) }

  /// A characteristic that only indicates has no such property, so that bluetoothd signals it as invalidated.
  private func setNotifyAcquired(_ path: ObjectPath, _ isAcquired: Bool) {
    let isThere = tree.value(path, BlueZName.gattCharacteristic, "NotifyAcquired") != nil
    set(
      path, BlueZName.gattCharacteristic, "NotifyAcquired", to: isThere ? .boolean(isAcquired) : nil,
      isRepeated: !isThere)
  }

  private func endAcquired(_ path: ObjectPath) {
    guard sessions[path]?.acquired != nil else { return }
    sessions[path] = nil
    setNotifyAcquired(path, false)
    unsubscribe(path)
    flush()
  }

  func acquireWrite(
    _ characteristic: RemoteCharacteristic, at path: ObjectPath, over connection: ConnectionID, _ call: IncomingCall
  ) {
    guard AttributeFlags(rawValue: UInt32(characteristic.properties)).contains(.writeWithoutResponse) else {
      return refuse(call, .notSupported)
    }
    guard writers[path] == nil else { return refuse(call, .notPermitted("Write acquired")) }
    guard let (socket, clientEnd) = SequencedSocket.pair() else { return refuse(call, .failed("Not connected")) }
    let source = socket.watch(on: loop) { [weak self] value in
      self?.assumeIsolated { $0.operate(connection, .command(characteristic.value, value)) { _, _ in } }
    } end: { [weak self] in
      self?.assumeIsolated { this in
        this.writers[path] = nil
        this.set(path, BlueZName.gattCharacteristic, "WriteAcquired", to: .boolean(false))
        this.flush()
      }
    }
    writers[path] = (socket, source)
    set(path, BlueZName.gattCharacteristic, "WriteAcquired", to: .boolean(true))
    reply(call, .success([.unixFD(clientEnd), .uint16(mtu(connection))]))
  }

  func valueChanged(_ id: ConnectionID, _ handle: AttributeHandle, _ value: [UInt8]) {
    guard let key = peripheral(id) else { return }
    guard let path = remoteAttributes.first(where: { $0.value.device == key && $0.value.handle == handle })?.key,
      // A peer may notify what a client subscribed to before the object was replaced; bluetoothd drops that (measured).
      let session = sessions[path]
    else { return }
    if let acquired = session.acquired {
      acquired.socket.send(value)
    } else {
      // Each client's session signals the value, to all (`notify_cb`).
      for _ in 0..<max(1, session.clients.count) {
        set(path, BlueZName.gattCharacteristic, "Value", to: .bytes(value), isRepeated: true)
      }
    }
  }

  /// Closes the file descriptors of an ended connection; clients that use signals stay subscribed.
  func endSessions(of key: DeviceKey) {
    for (path, attribute) in remoteAttributes.sorted(by: { $0.key < $1.key }) where attribute.device == key {
      sessions[path]?.isConfigured = false
      if sessions[path]?.acquired != nil {
        sessions[path] = nil
        setNotifyAcquired(path, false)
      }
      if writers.removeValue(forKey: path) != nil {
        set(path, BlueZName.gattCharacteristic, "WriteAcquired", to: .boolean(false))
      }
    }
  }

  /// Ends the subscriptions of a client that has left the bus.
  func lostSessions(of name: BusName) {
    for path in sessions.keys.sorted() { leave(path, name) }
    flush()
  }
}

/// The clients that are subscribed to a remote characteristic.
struct NotifySession: Sendable {
  /// The clients that called StartNotify.
  var clients: Set<BusName> = []
  /// Whether the configuration has been written since the device connected.
  var isConfigured = false
  /// The client that called AcquireNotify.
  var acquired: (owner: BusName, socket: SequencedSocket, source: EventSource)?

  var isEmpty: Bool { clients.isEmpty && acquired == nil }
}
