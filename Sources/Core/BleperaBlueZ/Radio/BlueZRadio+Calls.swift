import BleperaBlueZProtocol
package import BleperaBluetooth
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
package import BleperaRadio

/// Calls from bluetoothd to the pairing agent, to applications and to advertisements.
extension BlueZRadio {
  func reply(_ call: IncomingCall, _ result: Result<[DBusValue], DBusErrorReply>) {
    connection.assumeIsolated { $0.reply(to: call, result) }
  }

  /// A call handler that accepts calls from bluetoothd only.
  private nonisolated func authorized(
    _ body: @escaping @Sendable (isolated BlueZRadio, IncomingCall) -> Void
  ) -> @Sendable (IncomingCall) -> Void {
    callback { this, call in
      guard let owner = this.daemon.owner, call.sender == owner else {
        return this.reply(
          call, .failure(DBusErrorReply(name: .accessDenied, message: "only the owner of org.bluez may call")))
      }
      body(this, call)
    }
  }

  func export(at path: ObjectPath, _ body: @escaping @Sendable (isolated BlueZRadio, IncomingCall) -> Void) {
    let handler = authorized(body)
    connection.assumeIsolated { $0.export(at: path, handler) }
  }

  /// Calls bluetoothd; without a `completion` nothing depends on the reply.
  func start(
    _ call: MethodCall, timeout: Duration = .seconds(25),
    _ completion: @escaping @Sendable (isolated BlueZRadio, Result<[DBusValue], DBusFailure>) -> Void = { _, _ in }
  ) {
    let completion = callback(completion)
    connection.assumeIsolated { _ = $0.start(call, timeout: timeout, completion) }
  }

  func unexport(at path: ObjectPath) { connection.assumeIsolated { $0.unexport(at: path) } }

  /// Replies to calls that the object tree handles; `own` handles the others, `set` receives new values of properties.
  func respond(
    to call: IncomingCall, as tree: ObjectTree, set: (isolated BlueZRadio, PropertyChange) -> Void = { _, _ in },
    _ own: (isolated BlueZRadio) -> Void
  ) {
    switch tree.respond(to: call.call) {
    case .reply(let values): reply(call, .success(values))
    case .refuse(let error): reply(call, .failure(error))
    // The handles of applications are as requested, and the controller chooses its own power: nothing to store.
    case .set(let change):
      reply(call, .success([]))
      set(self, change)
    case nil: own(self)
    }
  }

  // MARK: Attributes

  func receive(_ call: IncomingCall, _ number: Int, _ application: GATTApplication) {
    let path = call.call.path
    guard let handle = application.handle(at: path) else {
      return reply(call, .failure(DBusErrorReply(name: .unknownMethod, message: "\(path) has no such method")))
    }
    let member = call.call.member
    switch member {
    case .readValue, .writeValue:
      let options = call.call.arguments.last?.dictionary
      let device = options?.property("device")?.path
      if let device, mustWait(for: device) {
        return requests.wait(RequestTable.Waiting(call: call, device: device, application: number))
      }
      guard let request = request(call, handle, from: device, options) else { return }
      guard member == .writeValue else { return report(.read(request)) }
      // bluetoothd joins the pieces of a long write and passes the writes of several attributes one after another.
      let value = call.call.arguments[0].byteArray ?? []
      guard value.count <= AttributeValue.maximumLength || !request.expectsResponse else {
        respond(to: request.id, .failure(.invalidAttributeValueLength))
        return
      }
      report(.write(request, [AttributeWrite(handle: handle, offset: request.offset, value: value)]))
    case .acquireNotify: acquireNotify(call, of: application, number: number, at: handle)
    case .startNotify: reply(call, .success([]))
    case .stopNotify:
      streams.forget(below: path)
      for change in subscribers.stop(on: path) { reportChange(change, on: handle) }
      reply(call, .success([]))
    case .confirm:
      reply(call, .success([]))
      report(.confirmed(handle))
    default: reply(call, .failure(DBusErrorReply(name: .unknownMethod, message: "no method \(call.call.member)")))
    }
  }

  /// Nil if the service has been removed meanwhile; the call then has its reply.
  private func request(
    _ call: IncomingCall, _ handle: AttributeHandle, from device: ObjectPath?, _ options: DBusDictionary?
  ) -> AttributeRequest? {
    if let device { devices.noteMTU(options?.property("mtu"), of: device) }
    let id = requests.add(call)
    guard applications.path(of: handle) != nil else {
      respond(to: id, .failure(.invalidHandle))
      return nil
    }
    guard let offset = UInt16(exactly: options?.property("offset")?.integer ?? 0) else {
      respond(to: id, .failure(.invalidOffset))
      return nil
    }
    let sender = if let device { devices.central(at: device) } else { RadioCentral(id: CentralID(rawValue: "")) }
    return AttributeRequest(
      id: id, handle: handle, central: sender, offset: Int(offset), expectsResponse: call.call.expectsReply)
  }

  package nonisolated var requestTimeLimit: Duration? { BlueZLimitation.requestTimeLimit }

  @discardableResult
  package func respond(to request: RadioRequestID, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    guard let call = requests.remove(request) else { return nil }
    let isRead = call.call.member == .readValue
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

  // MARK: Pairing

  static let agentTree: ObjectTree = {
    var tree = ObjectTree()
    tree.declare(agentPath, .agent)
    return tree
  }()

  func registerAgent() { perform(agent.register(asDefault: daemon.owner != nil && needsDefaultAgent)) }

  func updateDefaultAgent() {
    if daemon.owner != nil { perform(agent.update(asDefault: needsDefaultAgent)) }
  }

  private var needsDefaultAgent: Bool {
    options.pairing.needsDefaultAgent || !devices.connected.isEmpty || !role.linked.isEmpty
  }

  private func perform(_ actions: [PairingAgent.Action]) {
    for action in actions {
      switch action {
      case .register:
        cancel(.agent)
        callAgentManager("RegisterAgent", [.string(options.pairing.agentCapability)])
      case .requestDefault: callAgentManager("RequestDefaultAgent")
      case .unregister:
        callAgentManager("UnregisterAgent")
        // Without agents bluetoothd makes its adapters not pairable, and with another one pairable only if the kernel
        // has confirmed that before (`adapter_set_io_capability`).
        schedule(.agent, after: .milliseconds(500)) { $0.registerAgent() }
      }
    }
  }

  private func callAgentManager(_ member: MemberName, _ arguments: [DBusValue] = []) {
    let call = MethodCall.toDaemon(
      at: BlueZName.root, BlueZName.agentManager, member, [.objectPath(Self.agentPath)] + arguments)
    start(call) { this, result in
      guard case .failure(let failure) = result, this.daemon.owner != nil else { return }
      this.report(.pairingUnavailable(RadioFailure(failure)))
    }
  }

  func answer(_ call: IncomingCall) {
    let connected = devices.connected.union(role.linked)
    switch options.pairing.answer(to: call.call.member, call.call.arguments, from: connected) {
    case .accept, .acknowledge: break
    case .show(let device, let passkey): report(.passkey(devices.central(at: device), passkey))
    case .refuse(let reason):
      if let device = call.call.arguments.first?.path { report(.pairingRefused(devices.central(at: device), reason)) }
      return reply(call, .failure(BlueZError.rejected.reply("blepera does not pair: \(reason)")))
    }
    reply(call, .success([]))
  }
}

extension MemberName {
  // A literal of a name is checked at each use, these once.
  fileprivate static let readValue: MemberName = "ReadValue"
  fileprivate static let writeValue: MemberName = "WriteValue"
  fileprivate static let acquireNotify: MemberName = "AcquireNotify"
  fileprivate static let startNotify: MemberName = "StartNotify"
  fileprivate static let stopNotify: MemberName = "StopNotify"
  fileprivate static let confirm: MemberName = "Confirm"
}
