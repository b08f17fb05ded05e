package import BlueZ
import DBus
package import GATT
import VirtualBlueZ

/// What centrals do to the attributes of the phone.
extension SimulatedRadio {
  func path(of object: ApplicationObject) -> ObjectPath? {
    guard let entry = objects[object.application], entry.paths.indices.contains(object.index) else { return nil }
    return entry.paths[object.index]
  }

  func address(of path: ObjectPath) -> AttributeAddress? {
    for (number, application) in applications {
      if let attribute = application.attribute(at: path) {
        return AttributeAddress(application: number, attribute: attribute)
      }
    }
    return nil
  }

  /// The air's name for an attribute.
  private func object(_ address: AttributeAddress) -> ApplicationObject? {
    guard let path = applications[address.application]?.path(of: address.attribute),
      let id = published[address.application]?.id, let index = objects[id]?.paths.firstIndex(of: path)
    else { return nil }
    return ApplicationObject(id, index)
  }

  /// A read, where there is no value, or a write; without an identifier nobody waits for the answer.
  func request(
    _ id: RequestID?, _ object: ApplicationObject, _ options: AttributeRequestOptions, value: [UInt8]?
  ) {
    guard let address = path(of: object).flatMap({ address(of: $0) }),
      let device = links.first(where: { $0.value == options.connection })?.key
    else {
      if let id { run(.answer(id, .failure(.unlikelyError))) }
      return
    }
    mtus[device] = options.mtu
    lastRequest += 1
    requests[lastRequest] = (id, value == nil)
    let request = AttributeRequest(
      id: lastRequest, address: address, device: self.device(at: device), mtu: options.mtu, offset: options.offset,
      expectsAnswer: id != nil)
    tell(value.map { .write(request, value: $0) } ?? .read(request))
  }

  @discardableResult
  package func answer(_ id: Int, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    guard let (request, isRead) = requests.removeValue(forKey: id) else { return nil }
    var sent: ATTError?
    if case .failure(let error) = result {
      sent = ATTErrorMapping.reply(to: isRead ? .read : .write, error: error, daemon: version).sent
    }
    let answer: Result<[UInt8], ATTError> = sent.map { .failure($0) } ?? result.map { isRead ? $0 : [] }
    if let request { later { $0.run(.answer(request, answer)) } }
    return sent
  }

  /// What is to be sent, and what centrals have not taken yet.
  package var queuedSize: Int { unsentSize + air.assumeIsolated { [adapter] in $0.air.queuedSize(of: adapter) } }

  package func notify(_ address: AttributeAddress, _ value: [UInt8]) {
    unsentSize += value.count
    later { this in
      this.unsentSize -= value.count
      guard let object = this.object(address) else { return }
      this.run(.updateValue(object, value, only: nil))
    }
  }

  package func subscribers(of address: AttributeAddress) -> [RemoteDevice] {
    guard let application = applications[address.application] else { return [] }
    return subscribers.subscribers(of: application.path(of: address.attribute)).map { device(at: $0) }
  }

  package func keptSubscribers(of address: AttributeAddress) -> [RemoteDevice] {
    guard let application = applications[address.application] else { return [] }
    return subscribers.keptSubscribers(of: application.path(of: address.attribute)).map { device(at: $0) }
  }

  package func forgetSubscribers(of number: Int) {
    guard let application = applications[number] else { return }
    for (path, change) in subscribers.forget(below: application.root) { tell(change, at: path) }
  }

  func tell(_ change: SubscriberTable.Change, at path: ObjectPath) {
    guard let address = address(of: path) else { return }
    switch change {
    case .subscribed(let path): tell(.subscribed(address, device(at: path)))
    case .unsubscribed(let path): tell(.unsubscribed(address, device(at: path)))
    }
  }
}
