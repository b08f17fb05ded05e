import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The services of apps, and the responses to reads and writes of centrals.
extension EmulatedPhone {
  func addService(_ id: ServiceID, _ definition: ServiceDefinition, by manager: ManagerID, of app: AppID) {
    guard let record = apps[app], radio != nil else { return }
    // The app numbers its services without those of a manager that it had: it does not create that one again.
    if let former = services.service(id, of: app)?.manager, !record.has(former) {
      feed(.managerForgotten(app, former))
    }
    do throws(PublishedServices.Refusal) {
      if let identifier = manager.restoreIdentifier, stuckIdentifiers.contains(identifier) {
        throw PublishedServices.Refusal(reason: "the restoration identifier is stuck: the phone has that defect")
      }
      let service = try services.add(id, definition, by: manager, of: app)
      withRadio { $0.publish([service.radioService]) }
    } catch {
      report(.publishingFailed(service: definition.uuid, reason: error.reason), of: app)
      notify(manager, of: app, .didAddService(id, error: error.reason))
    }
  }

  /// Handles the radio's report on publishing a service; `failure` is nil on success.
  func serviceReported(at handle: AttributeHandle, failure: RadioFailure?) {
    guard let (app, service) = services.service(at: handle) else {
      if let failure { ownServiceFailed(at: handle, failure) }
      return
    }
    if let failure {
      report(.publishingFailed(service: service.definition.uuid, reason: "\(failure)"), of: app)
    } else {
      report(.published(service.definition, service.handles), of: app)
    }
    guard !service.isReported else { return }
    if failure == nil {
      services.setReported(service.id, of: app)
    } else {
      // For the app the service is not published, so that it must not appear later.
      removeService(service.id, of: app, isReported: false)
    }
    if services.areAllReported { preserve() } else { preserveSoon() }
    notify(service.manager, of: app, .didAddService(service.id, error: failure.map { "\($0)" }))
  }

  /// The radio publishes a service with other handles, because other services may have the service's handles.
  func serviceMoved(from start: AttributeHandle, to handles: ServiceHandles) {
    services.reserve(handles)
    guard let (app, service) = services.service(at: start) else {
      if let service = phoneServices?.move(from: start, to: handles) {
        report(.moved(service.uuid, handles))
      }
      return
    }
    services.move(service.id, of: app, to: handles)
    report(.moved(service.definition.uuid, handles), of: app)
    preserve()
  }

  /// The caller preserves the state, once for all services that are removed.
  func removeService(_ id: ServiceID, of app: AppID, isReported: Bool = true) {
    guard let service = services.service(id, of: app) else { return }
    // As bluetoothd responds for a service that is removed; what the app responds later has no effect.
    for event in requests.requests(for: id, of: app) {
      if let request = requests.refuse(event) { finish(request, .failure(.requestNotSupported), rule: nil) }
      feed(.requestAbandoned(app, event))
    }
    // The service's subscribers are reported as unsubscribed while the service is still known.
    withRadio { $0.remove(service: service.handles.start) }
    services.remove(id, of: app)
    if isReported { report(.unpublished(service: service.definition.uuid), of: app) }
    restored.forget(app, id)
  }

  /// - Parameter manager: the manager whose services are removed; nil for all.
  func removeAllServices(by manager: ManagerID? = nil, of app: AppID, areReported: Bool = true) {
    for service in services.services(of: app) where manager == nil || service.manager == manager {
      removeService(service.id, of: app, isReported: areReported)
    }
  }

  /// Removes the services of all apps, which add them again when Bluetooth is on (R14).
  func clearDatabase() {
    for id in apps.ids { removeAllServices(of: id, areReported: false) }
    removeAllChannels(of: nil)
    preserve()
  }

  // MARK: Requests

  /// The central as apps see it.
  func central(_ central: RadioCentral) -> CentralDescription {
    CentralDescription(
      id: centrals.identifier(of: central.id), maximumUpdateValueLength: central.maximumUpdateValueLength)
  }

  func read(_ request: AttributeRequest) {
    guard let found = services.attribute(request.handle) else {
      if let own = phoneServices?.attribute(request.handle) { return read(own, request) }
      respond(to: request, .failure(.invalidHandle))
      return
    }
    func finish(_ result: Result<[UInt8], ATTError>, isCached: Bool, rule: RuleID? = nil) {
      answer(request, .read(found.app, found.name), result, isCached: isCached, rule: rule)
    }
    func finishCached(_ value: [UInt8]) {
      if let error = policy.cachedValueError(found.app) {
        return finish(.failure(error), isCached: true, rule: .r4)
      }
      finish(Result { () throws(ATTError) in try AttributeValue.slice(value, from: request.offset) }, isCached: true)
    }
    if let descriptor = found.descriptor {
      // bluetoothd checks permissions only where there is a flag for them.
      guard descriptor.permissions.allowsReading else { return finish(.failure(.readNotPermitted), isCached: true) }
      return finishCached(services.value(ofDescriptor: found.handle))
    }
    guard found.definition.properties.contains(.read), found.definition.permissions.allowsReading else {
      return finish(.failure(.readNotPermitted), isCached: false)
    }
    if let value = found.definition.value { return finishCached(value) }
    let central = central(request.central)
    ask(found, for: request, .read(found.app, found.name), .read) { ids in
      .didReceiveRead(
        ReadRequest(id: ids[0], central: central, characteristic: found.characteristic, offset: request.offset))
    }
  }

  /// Handles writes that succeed or fail together: writes to characteristics of one app, to descriptors, or to the
  /// phone's own services. Other writes are refused, because apps cannot succeed or fail together; the error that a
  /// central then receives is ours.
  func write(_ request: AttributeRequest, _ writes: [AttributeWrite]) {
    var named: [PendingRequests.Access.Write] = []
    var targets: [(found: PublishedServices.Attribute, write: AttributeWrite)] = []
    for write in writes {
      let found = services.attribute(write.handle)
      guard let name = found?.name ?? phoneServices?.attribute(write.handle)?.name else {
        respond(to: request, .failure(.invalidHandle))
        return
      }
      named.append(.init(app: found?.app, name: name, offset: write.offset, value: write.value))
      if let found { targets.append((found, write)) }
    }
    let access = PendingRequests.Access.write(named)
    // For a write without response; a radio refuses requests. How an iPhone handles a longer one is not published.
    let limit = max(AttributeValue.maximumLength, request.central.mtu - 3)
    guard writes.allSatisfy({ $0.value.count <= limit }) else {
      return answer(request, access, .failure(.invalidAttributeValueLength))
    }
    guard let first = targets.first?.found else { return answer(request, access, writeOwn(writes)) }
    guard targets.count == writes.count else { return answer(request, access, .failure(.requestNotSupported)) }
    guard targets.allSatisfy(\.found.isWriteable) else { return answer(request, access, .failure(.writeNotPermitted)) }
    if targets.allSatisfy({ $0.found.descriptor != nil }) {
      return answer(request, access, writeDescriptors(writes).map { [] })
    }
    guard targets.allSatisfy({ $0.found.descriptor == nil && $0.found.app == first.app }) else {
      return answer(request, access, .failure(.requestNotSupported))
    }
    let central = central(request.central)
    ask(first, for: request, access, request.expectsResponse ? .write : .command) { ids in
      .didReceiveWrite(
        zip(ids, targets).map { id, target in
          WriteRequest(
            id: id, central: central, characteristic: target.found.characteristic, offset: target.write.offset,
            value: target.write.value)
        })
    }
  }

  /// Writes all values or none.
  private func writeDescriptors(_ writes: [AttributeWrite]) -> Result<Void, ATTError> {
    var new: [AttributeHandle: [UInt8]] = [:]
    do throws(ATTError) {
      for write in writes {
        let old = new[write.handle] ?? services.value(ofDescriptor: write.handle)
        new[write.handle] = try AttributeValue.writing(write.value, at: write.offset, to: old)
      }
    } catch {
      return .failure(error)
    }
    for (handle, value) in new { services.write(value, toDescriptor: handle) }
    preserve()
    return .success(())
  }

  /// Passes an app's request to the rules, which deliver, queue or refuse it.
  private func ask(
    _ found: PublishedServices.Attribute, for request: AttributeRequest, _ access: PendingRequests.Access,
    _ kind: RequestKind, callback: ([RequestID]) -> PeripheralManagerCallback
  ) {
    let event = requests.add(request, of: found.app, found.manager, access, since: now, callback: callback)
    feed(.request(found.app, event, kind, manager: found.manager))
  }

  /// Handles an app's response. A second response and a response of another app are ignored; after a refusal only the
  /// rules receive the response, which know the requests that an app must still respond to.
  func respond(to event: EventID, _ error: ATTError?, _ value: [UInt8], from app: AppID) {
    if let request = requests.answer(event, by: app) {
      // CBATTError.success is not an error.
      let failure = error.flatMap { $0.rawValue == 0 ? nil : $0 }
      finish(request, failure.map { .failure($0) } ?? .success(value), rule: nil)
    }
    feed(.answered(app, event))
  }

  /// Sends an app an event. A write without response has its result before the app has handled it, since nobody waits
  /// for the app, which may well leave the response out.
  func deliver(_ event: EventID, to app: AppID) {
    guard let delivery = requests.deliver(event) else { return }
    if let command = delivery.command { answer(command.request, command.access, .success([])) }
    send(delivery.message, to: app)
  }

  /// Responds to the central; `rule` is the rule that caused a refusal.
  func finish(_ entry: PendingRequests.Request, _ result: Result<[UInt8], ATTError>, rule: RuleID?) {
    answer(entry.request, entry.access, result, rule: rule, since: entry.since)
  }

  /// Responds to the central and reports the response.
  ///
  /// - Parameter since: when the request for the app arrived; nil for a request that the phone handles.
  func answer(
    _ request: AttributeRequest, _ access: PendingRequests.Access, _ result: Result<[UInt8], ATTError>,
    isCached: Bool = false, rule: RuleID? = nil, since: Duration? = nil
  ) {
    let sent = respond(to: request, result)
    let duration = if let since { now - since } else { nil as Duration? }
    switch access {
    case .read(let app, let name):
      reportValue(
        .read(
          request.central, name, offset: request.offset, PhoneEvent.Outcome(result, sent: sent), isCached: isCached,
          rule: rule, took: duration),
        of: app)
    case .write(let writes):
      for (index, write) in writes.enumerated() {
        reportValue(
          .write(
            request.central, write.name, offset: write.offset, value: write.value,
            error: result.failure.map { sent ?? $0 }, isAcknowledged: request.expectsResponse, rule: rule,
            took: duration, piece: writes.count == 1 ? nil : PhoneEvent.Piece(number: index + 1, count: writes.count)),
          of: write.app)
      }
    }
  }

  /// Responds to the central; returns the error that the central receives, if any.
  @discardableResult
  private func respond(to request: AttributeRequest, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    // A change is saved before it is acknowledged.
    saveNow()
    return withRadio { $0.respond(to: request.id, result) } ?? nil
  }
}

extension PublishedServices.Attribute {
  fileprivate var isWriteable: Bool {
    if let descriptor { return descriptor.permissions.allowsWriting }
    return !definition.properties.isDisjoint(with: .writable) && definition.permissions.allowsWriting
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension PhoneEvent.Outcome {
  /// - Parameter sent: the error that the radio sent in place of the given one.
  fileprivate init(_ result: Result<[UInt8], ATTError>, sent: ATTError?) {
    switch result {
    case .success(let value): self = .value(value)
    case .failure(let error): self = .error(sent ?? error)
    }
  }
}
