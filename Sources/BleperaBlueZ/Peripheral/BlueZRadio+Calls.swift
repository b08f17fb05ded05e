import BleperaBlueZProtocol
package import BleperaBluetooth
import BleperaDBus
import BleperaLoop
package import BleperaRadio

/// Calls from bluetoothd to the pairing agent, to applications and to advertisements.
extension BlueZRadio {
  func reply(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) {
    connection.assumeIsolated { $0.reply(to: call, result) }
  }

  /// A call handler that accepts calls from bluetoothd only.
  nonisolated func authorized(
    _ body: @escaping @Sendable (isolated BlueZRadio, IncomingCall) -> Void
  ) -> @Sendable (IncomingCall) -> Void {
    callback { this, call in
      guard let daemon = this.daemon, call.sender == daemon else {
        return this.reply(
          call, .failure(DBusErrorReply(name: .accessDenied, message: "only the owner of org.bluez may call")))
      }
      body(this, call)
    }
  }

  func export(at path: ObjectPath, _ body: @escaping @Sendable (isolated BlueZRadio, IncomingCall) -> Void) async {
    await connection.export(at: path, authorized(body))
  }

  func unexport(at path: ObjectPath) { connection.assumeIsolated { $0.unexport(at: path) } }

  /// Replies to calls that the object tree handles; `own` handles the others.
  func respond(to call: IncomingCall, as tree: ObjectTree, _ own: (isolated BlueZRadio) -> Void) {
    switch tree.respond(to: call.call) {
    case .reply(let values): reply(call, .success(values))
    case .refuse(let error): reply(call, .failure(error))
    // Handles are as requested, and the controller chooses its own power: nothing to store.
    case .set: reply(call, .success([]))
    case nil: own(self)
    }
  }

  // MARK: Attributes

  func receive(_ call: IncomingCall, _ number: Int, _ application: GATTApplication) {
    let path = call.call.path
    guard let handle = application.handle(at: path) else {
      return reply(call, .failure(DBusErrorReply(name: .unknownMethod, message: "\(path) has no such method")))
    }
    let arguments = call.call.arguments
    // The text, because a literal of a name is checked each time.
    switch call.call.member.rawValue {
    case "ReadValue":
      if let request = request(call, handle, options: arguments[0]) { report(.read(request)) }
    case "WriteValue":
      guard let request = request(call, handle, options: arguments[1]) else { return }
      // bluetoothd joins the pieces of a long write and passes those of several attributes one after the other.
      let value = arguments[0].byteArray ?? []
      guard value.count <= AttributeValue.maximumLength else {
        respond(to: request.id, .failure(.invalidAttributeValueLength))
        return
      }
      report(.write(request, [AttributeWrite(handle: handle, offset: request.offset, value: value)]))
    case "AcquireNotify":
      // Refused so that bluetoothd calls StartNotify now and AcquireNotify again for the next central. bluetoothd
      // delivers every update that follows this reply on the bus. The phone saves the subscription before the central
      // receives its response; updates must follow the response.
      let options = arguments[0].asProperties ?? [:]
      if let device = options["device"]?.path, !applications.isLeaving(number) {
        noteMTU(options["mtu"], of: device)
        if let change = subscribers.subscribe(device, to: path) { reportChange(change, on: handle) }
      }
      reply(call, .failure(BlueZError.notSupported.reply("notifications go by PropertiesChanged")))
    case "StartNotify": reply(call, .success([]))
    case "StopNotify":
      for change in subscribers.stop(on: path) { reportChange(change, on: handle) }
      reply(call, .success([]))
    case "Confirm":
      reply(call, .success([]))
      report(.confirmed(handle))
    default: reply(call, .failure(DBusErrorReply(name: .unknownMethod, message: "no method \(call.call.member)")))
    }
  }

  /// A number that no ATT_MTU can be is ignored.
  private func noteMTU(_ value: DBusValue?, of device: ObjectPath) {
    guard let mtu = value?.integer, ATTMTU.range.contains(Int(clamping: mtu)) else { return }
    mtus[device] = Int(mtu)
  }

  /// Nil if the service has been removed meanwhile; the call then has its reply.
  private func request(
    _ call: IncomingCall, _ handle: AttributeHandle, options: DBusValue
  ) -> AttributeRequest? {
    let options = options.dictionary
    let path = options?["device"]?.unwrapped.path
    if let path { noteMTU(options?["mtu"]?.unwrapped, of: path) }
    lastRequest += 1
    let id = RequestID(rawValue: lastRequest)
    requests[id] = call
    guard applications.path(of: handle) != nil else {
      respond(to: id, .failure(.invalidHandle))
      return nil
    }
    guard let offset = UInt16(exactly: options?["offset"]?.unwrapped.integer ?? 0) else {
      respond(to: id, .failure(.invalidOffset))
      return nil
    }
    return AttributeRequest(
      id: id, handle: handle, central: path.map { central(at: $0) } ?? RadioCentral(id: CentralID(rawValue: "")),
      offset: Int(offset), expectsResponse: call.call.expectsReply)
  }

  package nonisolated var requestTimeLimit: Duration? { .bluezRequestTimeLimit }

  @discardableResult
  package func respond(to request: RequestID, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    guard let call = requests.removeValue(forKey: request) else { return nil }
    let isRead = call.call.member.rawValue == "ReadValue"
    switch result {
    case .success(let value):
      reply(call, .success(isRead ? [.bytes(value)] : []))
      return nil
    case .failure(let error):
      let (answer, sent) = ATTErrorMapping.reply(to: isRead ? .read : .write, error: error, daemon: version)
      reply(call, .failure(answer))
      return sent
    }
  }

  // MARK: Updates and subscribers

  package func update(
    _ characteristic: AttributeHandle, _ value: [UInt8], to centrals: [CentralID], mayReachOthers: Bool
  ) -> RadioFailure? {
    guard let path = applications.path(of: characteristic) else { return nil }
    let addresses = Set(centrals.map(\.rawValue))
    let devices = subscribers.subscribers(of: path)
    let others = devices.count { !addresses.contains(device(at: $0).address) }
    guard others < devices.count else { return nil }
    guard others == 0 || mayReachOthers else {
      let those = others == 1 ? "another subscriber" : "\(others) other subscribers"
      return RadioFailure("bluetoothd would send the update to \(those) of the characteristic too")
    }
    let signal = Signal.propertiesChanged(
      path, BlueZName.gattCharacteristic, changed: [("Value", .bytes(value))])
    // Sending fails only beyond a limit that attribute values cannot reach, or without a bus.
    connection.assumeIsolated { try? $0.emit(signal) }
    return nil
  }

  /// bluetoothd does not say what it has sent. Where it takes no signals, no update counts as carried.
  package func uncarriedUpdates(to central: CentralID) -> Int {
    connection.assumeIsolated { $0.outgoingSize < Self.outgoingLimit } ? 0 : .max
  }

  /// In bytes: a hundred updates of the maximum length.
  private static let outgoingLimit = 65_536

  package func subscribers(of characteristic: AttributeHandle) -> [RadioCentral] {
    applications.path(of: characteristic).map { subscribers.subscribers(of: $0).map { central(at: $0) } } ?? []
  }

  package func retainedSubscribers(of characteristic: AttributeHandle) -> [RadioCentral] {
    applications.path(of: characteristic).map { subscribers.retainedSubscribers(of: $0).map { central(at: $0) } } ?? []
  }

  /// Reports the end of all subscriptions of an application that bluetoothd forgets.
  func forgetSubscribers(of number: Int) {
    guard let application = applications.applications[number] else { return }
    for (path, change) in subscribers.forget(below: application.root) {
      if let handle = application.handle(at: path) { reportChange(change, on: handle) }
    }
  }

  /// Reports the changes of several characteristics when a device connects or disconnects.
  func reportChanges(_ changes: [(characteristic: ObjectPath, change: SubscriberTable.Change)]) {
    for (path, change) in changes {
      guard let number = path.applicationNumber, let handle = applications.applications[number]?.handle(at: path) else {
        continue
      }
      reportChange(change, on: handle)
    }
  }

  private func reportChange(_ change: SubscriberTable.Change, on handle: AttributeHandle) {
    switch change {
    case .subscribed(let path): report(.subscribed(handle, central(at: path)))
    case .unsubscribed(let path): report(.unsubscribed(handle, central(at: path)))
    }
  }

  // MARK: Pairing

  static let agentTree: ObjectTree = {
    var tree = ObjectTree()
    tree.declare(agentPath, .agent)
    return tree
  }()

  func registerAgent() {
    isDefaultAgent = false
    callAgentManager("RegisterAgent", [.string(options.pairing.agentCapability)])
    updateDefaultAgent()
  }

  /// bluetoothd asks its default agent about each device that pairs, of any adapter, so that another agent of the
  /// machine is the default again while no central is connected to the phone.
  func updateDefaultAgent() {
    let isNeeded = options.pairing.needsDefaultAgent || !connected.isEmpty
    guard daemon != nil, isNeeded != isDefaultAgent else { return }
    isDefaultAgent = isNeeded
    guard isNeeded else {
      callAgentManager("UnregisterAgent")
      return registerAgent()
    }
    callAgentManager("RequestDefaultAgent")
  }

  private func callAgentManager(_ member: MemberName, _ arguments: [DBusValue] = []) {
    let call = MethodCall.toDaemon(
      BlueZName.root, BlueZName.agentManager, member, [.objectPath(Self.agentPath)] + arguments)
    let completion = callback { (this: isolated BlueZRadio, result: Result<[DBusValue], DBusFailure>) in
      guard case .failure(let failure) = result, this.daemon != nil else { return }
      this.report(.pairingUnavailable(RadioFailure(failure)))
    }
    connection.assumeIsolated { _ = $0.start(call, completion) }
  }

  func answer(_ call: IncomingCall) {
    switch options.pairing.answer(to: call.call.member, call.call.arguments, from: connected) {
    case .accept, .acknowledge: break
    case .show(let device, let passkey): report(.passkey(central(at: device), passkey))
    case .refuse(let reason):
      if let device = call.call.arguments.first?.path { report(.pairingRefused(central(at: device), reason)) }
      return reply(call, .failure(BlueZError.rejected.reply("blepera does not pair: \(reason)")))
    }
    reply(call, .success([]))
  }

  /// Removes the bonds made since the start, for `--forget-bonds`.
  func forgetBonds() async {
    for device in bondsMade.sorted() {
      guard options.forgetsBonds, let adapter = device.parent else { continue }
      let call = MethodCall.toDaemon(adapter, BlueZName.adapter, "RemoveDevice", [.objectPath(device)])
      _ = try? await connection.call(call, timeout: Self.settleTimeout)
    }
  }
}

extension ObjectPath {
  /// 7 for paths below `/org/blepera/app7`.
  fileprivate var applicationNumber: Int? {
    let elements = rawValue.split(separator: "/")
    guard elements.count > 2, elements[2].hasPrefix("app") else { return nil }
    return Int(elements[2].dropFirst(3))
  }
}
