import AppLink
import BlueZ
import GATT
import Policy

/// Who answers what a central reads and writes.
extension System {
  /// An attribute of an app, found by where bluetoothd has it.
  struct Found {
    let app: AppID
    let characteristic: CharacteristicID
    let definition: CharacteristicDefinition
    let descriptor: DescriptorDefinition?
    let name: AttributeName
  }

  func find(_ address: AttributeAddress) -> Found? {
    for (id, app) in apps {
      for (serviceID, service) in app.services
      where service.application == address.application && service.place == address.attribute.service {
        // A request may outlive the service that it was for, and another one stand in its place.
        let index = address.attribute.characteristic
        guard service.definition.characteristics.indices.contains(index) else { return nil }
        let definition = service.definition.characteristics[index]
        if let place = address.attribute.descriptor, !definition.descriptors.indices.contains(place) { return nil }
        let descriptor = address.attribute.descriptor.map { definition.descriptors[$0] }
        return Found(
          app: id, characteristic: CharacteristicID(service: serviceID, index: index), definition: definition,
          descriptor: descriptor,
          name: AttributeName(
            service: service.definition.uuid, characteristic: definition.uuid, descriptor: descriptor?.uuid))
      }
    }
    return nil
  }

  func central(_ device: RemoteDevice) -> Central {
    let length = peripheral?.assumeIsolated { $0.maximumUpdateValueLength(of: device.path) } ?? 20
    return Central(id: CentralID(rawValue: device.address), maximumUpdateValueLength: length)
  }

  func read(_ request: AttributeRequest) {
    guard let found = find(request.address) else {
      answer(request, .failure(.invalidHandle))
      return
    }
    func finish(_ result: Result<[UInt8], ATTError>, isCached: Bool) {
      let sent = answer(request, result)
      let outcome: SystemEvent.Outcome =
        switch result {
        case .success(let value): .value(value)
        case .failure(let error): .error(sent ?? error)
        }
      var rule: RuleID?
      if case .failure(let failure) = result, isCached, failure == policy.cachedValueError(found.app) { rule = .r4 }
      report(
        .read(request.device, found.name, offset: request.offset, outcome, isCached: isCached, rule: rule),
        of: found.app)
    }
    if let descriptor = found.descriptor {
      // bluetoothd has checked permissions where there is a flag for them; where there is none it lets all through.
      guard descriptor.permissions.allowsReading else { return finish(.failure(.readNotPermitted), isCached: true) }
      if let error = policy.cachedValueError(found.app) { return finish(.failure(error), isCached: true) }
      let value = descriptors[request.address] ?? descriptor.value
      return finish(AttributeValue.sliced(value, from: request.offset), isCached: true)
    }
    guard found.definition.properties.contains(.read), found.definition.permissions.allowsReading else {
      return finish(.failure(.readNotPermitted), isCached: false)
    }
    if let value = found.definition.value {
      if let error = policy.cachedValueError(found.app) { return finish(.failure(error), isCached: true) }
      return finish(AttributeValue.sliced(value, from: request.offset), isCached: true)
    }
    let message = SystemMessage.didReceiveRead(
      ReadRequest(
        id: RequestID(rawValue: request.id), central: central(request.device), characteristic: found.characteristic,
        offset: request.offset))
    ask(found.app, message, request, value: nil)
  }

  func write(_ request: AttributeRequest, _ value: [UInt8]) {
    guard let found = find(request.address) else {
      answer(request, .failure(.invalidHandle))
      return
    }
    func finish(_ result: Result<[UInt8], ATTError>) {
      let sent = answer(request, result.map { _ in [] })
      var error: ATTError?
      if case .failure(let failure) = result { error = sent ?? failure }
      report(
        .write(
          request.device, found.name, offset: request.offset, value: value, error: error,
          isAcknowledged: request.expectsAnswer, rule: nil), of: found.app)
    }
    if let descriptor = found.descriptor {
      guard descriptor.permissions.allowsWriting else { return finish(.failure(.writeNotPermitted)) }
      let old = descriptors[request.address] ?? descriptor.value
      let new = AttributeValue.written(value, at: request.offset, to: old)
      if case .success(let value) = new {
        descriptors[request.address] = value
        preserve()
      }
      return finish(new)
    }
    guard !found.definition.properties.isDisjoint(with: .writable), found.definition.permissions.allowsWriting else {
      return finish(.failure(.writeNotPermitted))
    }
    let message = SystemMessage.didReceiveWrite([
      WriteRequest(
        id: RequestID(rawValue: request.id), central: central(request.device), characteristic: found.characteristic,
        offset: request.offset, value: value)
    ])
    ask(found.app, message, request, value: value)
  }

  /// Puts a request to an app, as far as the policy lets it through; `value` is nil for a read.
  private func ask(_ app: AppID, _ message: SystemMessage, _ request: AttributeRequest, value: [UInt8]?) {
    let id = RequestID(rawValue: request.id)
    let event = nextEvent()
    waiting[id] = Waiting(app: app, event: event, request: request, value: value, since: now)
    messages[event] = Message(message: message, request: id)
    feed(.request(app, event, value == nil ? .read : request.expectsAnswer ? .write : .command))
  }

  /// An app's answer; one that comes twice or from another app is passed over, one that comes too late tells only that
  /// the app is done.
  func respond(to id: RequestID, _ error: ATTError?, _ value: [UInt8], from app: AppID) {
    guard let entry = waiting[id], entry.app == app else { return }
    waiting[id] = nil
    if !entry.isRefused { finish(entry, error.map { .failure($0) } ?? .success(value), rule: nil) }
    feed(.answered(app, entry.event))
  }

  /// Answers the central in the app's place. `isOwed` where the app has been asked and still owes its answer.
  func refuse(_ event: EventID, _ error: ATTError, _ rule: RuleID?, isOwed: Bool) {
    guard let (id, entry) = waiting.first(where: { $0.value.event == event }), !entry.isRefused else { return }
    if isOwed { waiting[id]?.isRefused = true } else { waiting[id] = nil }
    finish(entry, .failure(error), rule: rule)
  }

  private func finish(_ entry: Waiting, _ result: Result<[UInt8], ATTError>, rule: RuleID?) {
    let request = entry.request
    let sent = answer(request, result)
    guard let name = find(request.address)?.name else { return }
    var error: ATTError?
    if case .failure(let failure) = result { error = sent ?? failure }
    if let written = entry.value {
      return report(
        .write(
          request.device, name, offset: request.offset, value: written, error: error,
          isAcknowledged: request.expectsAnswer, rule: rule, took: now - entry.since), of: entry.app)
    }
    let outcome: SystemEvent.Outcome =
      switch result {
      case .success(let value): .value(value)
      case .failure(let failure): .error(sent ?? failure)
      }
    report(
      .read(
        request.device, name, offset: request.offset, outcome, isCached: false, rule: rule, took: now - entry.since),
      of: entry.app)
  }

  /// The error that the central sees, where it sees one.
  @discardableResult
  private func answer(_ request: AttributeRequest, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    peripheral?.assumeIsolated { $0.answer(request.id, result) }
  }
}

extension AttributeValue {
  fileprivate static func sliced(_ value: [UInt8], from offset: Int) -> Result<[UInt8], ATTError> {
    Result { () throws(ATTError) in try slice(value, from: offset) }
  }

  fileprivate static func written(
    _ bytes: [UInt8], at offset: Int, to value: [UInt8]
  ) -> Result<[UInt8], ATTError> {
    Result { () throws(ATTError) in try writing(bytes, at: offset, to: value) }
  }
}
