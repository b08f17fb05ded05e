package import DBus
package import GATT

/// What centrals do to the attributes of our applications.
extension Peripheral {
  func receive(_ call: IncomingCall, _ number: Int, _ application: GATTApplication) {
    let path = call.call.path
    guard let attribute = application.attribute(at: path) else {
      return reply(call, .failure(DBusErrorReply(name: .unknownMethod, message: "\(path) has no such method")))
    }
    let address = AttributeAddress(application: number, attribute: attribute)
    let arguments = call.call.arguments
    switch call.call.member {
    case "ReadValue": tell(.read(request(call, address, options: arguments[0])))
    case "WriteValue":
      tell(.write(request(call, address, options: arguments[1]), value: arguments[0].byteArray ?? []))
    case "AcquireNotify":
      // Refused so that bluetoothd calls StartNotify now and AcquireNotify again for the next central. An update that
      // follows the answer on the bus is delivered: bluetoothd listens for updates from that answer on.
      // What hears of it keeps it before the central has its answer; an update must come after that.
      let options = arguments[0].asProperties ?? [:]
      if let device = options["device"]?.path {
        if let mtu = options["mtu"]?.integer { note(mtu: Int(mtu), of: device) }
        if let change = subscribers.subscribe(device, to: path) { tell(change, at: path) }
      }
      reply(call, .failure(BlueZError.notSupported.reply("notifications go by PropertiesChanged")))
    case "StartNotify": reply(call, .success([]))
    case "StopNotify":
      for change in subscribers.stop(on: path) { tell(change, at: path) }
      reply(call, .success([]))
    case "Confirm":
      reply(call, .success([]))
      tell(.confirmed(address))
    default: reply(call, .failure(DBusErrorReply(name: .unknownMethod, message: "no method \(call.call.member)")))
    }
  }

  private func request(_ call: IncomingCall, _ address: AttributeAddress, options: DBusValue) -> AttributeRequest {
    let options = options.asProperties ?? [:]
    let path = options["device"]?.path
    let mtu = options["mtu"]?.integer.map { Int($0) }
    if let path, let mtu { note(mtu: mtu, of: path) }
    lastRequest += 1
    let request = AttributeRequest(
      id: lastRequest, address: address, device: path.map { device(at: $0) } ?? RemoteDevice(path: .root),
      mtu: mtu ?? 23, offset: Int(options["offset"]?.integer ?? 0), expectsAnswer: call.call.expectsReply)
    requests[request.id] = (call, request)
    return request
  }

  /// Answers a read with what follows its offset, or a write with nothing; the error that the central will see, which
  /// differs from the one given where bluetoothd cannot send that.
  @discardableResult
  package func answer(_ id: Int, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    guard let (call, _) = requests.removeValue(forKey: id) else { return nil }
    let isRead = call.call.member == "ReadValue"
    switch result {
    case .success(let value):
      reply(call, .success(isRead ? [.bytes(value)] : []))
      return nil
    case .failure(let error):
      let version = inventory.adapter(named: nil)?.version
      let (answer, sent) = ATTErrorMapping.reply(to: isRead ? .read : .write, error: error, daemon: version)
      reply(call, .failure(answer))
      return sent
    }
  }

  /// Sends a value to every subscriber of the characteristic; bluetoothd cuts it to each link's MTU.
  package func notify(_ address: AttributeAddress, _ value: [UInt8]) throws(DBusFailure) {
    guard let application = applications[address.application] else { return }
    let signal = Signal.propertiesChanged(
      application.path(of: address.attribute), BlueZName.gattCharacteristic, changed: [("Value", .bytes(value))])
    do {
      try connection.assumeIsolated { try $0.emit(signal) }
    } catch let failure as DBusFailure { throw failure } catch { preconditionFailure("\(error)") }
  }

  /// The devices that are subscribed to a characteristic, in the order in which they came.
  package func subscribers(of address: AttributeAddress) -> [RemoteDevice] {
    guard let application = applications[address.application] else { return [] }
    return subscribers.subscribers(of: application.path(of: address.attribute)).map { device(at: $0) }
  }

  /// With the bonded devices that are not connected and will be subscribed again when they are.
  package func keptSubscribers(of address: AttributeAddress) -> [RemoteDevice] {
    guard let application = applications[address.application] else { return [] }
    return subscribers.keptSubscribers(of: application.path(of: address.attribute)).map { device(at: $0) }
  }

  /// bluetoothd has forgotten the application and all that was subscribed to it.
  package func forgetSubscribers(of number: Int) {
    guard let application = applications[number] else { return }
    for (path, change) in subscribers.forget(below: application.root) { tell(change, at: path) }
  }

  func tell(_ change: SubscriberTable.Change, at path: ObjectPath) {
    for (number, application) in applications {
      guard let attribute = application.attribute(at: path) else { continue }
      let address = AttributeAddress(application: number, attribute: attribute)
      switch change {
      case .subscribed(let path): tell(.subscribed(address, device(at: path)))
      case .unsubscribed(let path): tell(.unsubscribed(address, device(at: path)))
      }
    }
  }
}
