import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// The services of apps, and the responses to reads and writes of centrals.
extension Phone {
  func addService(_ id: ServiceID, _ definition: ServiceDefinition, of app: AppID) {
    guard apps[app] != nil, radio != nil else { return }
    do throws(PublishedServices.Refusal) {
      let service = try services.add(id, definition, of: app)
      withRadio { $0.publish([service.radioService]) }
    } catch {
      report(.publishingFailed(service: definition.uuid, reason: error.reason), of: app)
      notify(app, .didAddService(id, error: error.reason))
    }
  }

  /// Handles the radio's report on publishing a service; `failure` is nil on success.
  func serviceReported(at handle: AttributeHandle, failure: RadioFailure?) {
    guard let (app, service) = services.service(at: handle) else { return }
    if let failure {
      report(.publishingFailed(service: service.definition.uuid, reason: "\(failure)"), of: app)
    } else {
      report(.published(service.definition, service.handles), of: app)
    }
    guard !service.isReported else { return }
    services.setReported(service.id, of: app)
    preserve()
    notify(app, .didAddService(service.id, error: failure.map { "\($0)" }))
  }

  /// The caller preserves the state, once for all services that are removed.
  func removeService(_ id: ServiceID, of app: AppID, isReported: Bool = true) {
    guard let service = services.service(id, of: app) else { return }
    // The service's subscribers are reported as unsubscribed while the service is still known.
    withRadio { $0.remove(service: service.handles.start) }
    services.remove(id, of: app)
    if isReported { report(.unpublished(service: service.definition.uuid), of: app) }
    restored.forget(app, id)
  }

  func removeAllServices(of app: AppID, areReported: Bool = true) {
    for service in services.services(of: app) { removeService(service.id, of: app, isReported: areReported) }
  }

  /// Removes the services of all apps, which add them again when Bluetooth is on (R14).
  func clearDatabase() {
    for id in apps.keys.sorted() { removeAllServices(of: id, areReported: false) }
    preserve()
  }

  // MARK: Requests

  func central(_ central: RadioCentral) -> Central {
    Central(id: central.id, maximumUpdateValueLength: central.maximumUpdateValueLength)
  }

  func read(_ request: AttributeRequest) {
    guard let found = services.attribute(request.handle) else {
      respond(to: request, .failure(.invalidHandle))
      return
    }
    func finish(_ result: Result<[UInt8], ATTError>, isCached: Bool, rule: RuleID? = nil) {
      answer(request, of: found.app, found.name, written: nil, result, isCached: isCached, rule: rule)
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
    ask(found, request, value: nil) { id in
      .didReceiveRead(
        ReadRequest(id: id, central: central, characteristic: found.characteristic, offset: request.offset))
    }
  }

  func write(_ request: AttributeRequest, _ value: [UInt8]) {
    guard let found = services.attribute(request.handle) else {
      respond(to: request, .failure(.invalidHandle))
      return
    }
    func finish(_ result: Result<[UInt8], ATTError>) {
      answer(request, of: found.app, found.name, written: value, result.map { _ in [] })
    }
    if let descriptor = found.descriptor {
      guard descriptor.permissions.allowsWriting else { return finish(.failure(.writeNotPermitted)) }
      let old = services.value(ofDescriptor: found.handle)
      let new = Result { () throws(ATTError) in try AttributeValue.writing(value, at: request.offset, to: old) }
      if case .success(let value) = new {
        services.write(value, toDescriptor: found.handle)
        preserve()
      }
      return finish(new)
    }
    guard !found.definition.properties.isDisjoint(with: .writable), found.definition.permissions.allowsWriting else {
      return finish(.failure(.writeNotPermitted))
    }
    let central = central(request.central)
    ask(found, request, value: value) { id in
      .didReceiveWrite([
        WriteRequest(
          id: id, central: central, characteristic: found.characteristic, offset: request.offset, value: value)
      ])
    }
  }

  /// Passes an app's request to the rules, which deliver, queue or refuse it; `value` is nil for a read.
  private func ask(
    _ found: PublishedServices.Attribute, _ request: AttributeRequest, value: [UInt8]?,
    message: (RequestID) -> PhoneMessage
  ) {
    let event = requests.add(request, of: found.app, found.name, value: value, since: now, message: message)
    feed(.request(found.app, event, value == nil ? .read : request.expectsResponse ? .write : .command))
  }

  /// Handles an app's response. A second response and a response of another app are ignored; after a refusal only the
  /// rules receive the response.
  func respond(to id: RequestID, _ error: ATTError?, _ value: [UInt8], from app: AppID) {
    guard let (event, request) = requests.answer(id, by: app) else { return }
    // CBATTError.success is not an error.
    let failure = error.flatMap { $0.rawValue == 0 ? nil : $0 }
    if !request.isRefused { finish(request, failure.map { .failure($0) } ?? .success(value), rule: nil) }
    feed(.answered(app, event))
  }

  /// Responds to the central; `rule` is the rule that caused a refusal.
  func finish(_ entry: PendingRequests.Request, _ result: Result<[UInt8], ATTError>, rule: RuleID?) {
    answer(entry.request, of: entry.app, entry.name, written: entry.value, result, rule: rule, since: entry.since)
  }

  /// Responds to the central and reports the response.
  ///
  /// - Parameters:
  ///   - written: the value of a write; nil for a read.
  ///   - since: when the request for the app arrived; nil for a request that the phone handles.
  private func answer(
    _ request: AttributeRequest, of app: AppID, _ name: AttributeName, written: [UInt8]?,
    _ result: Result<[UInt8], ATTError>, isCached: Bool = false, rule: RuleID? = nil, since: Duration? = nil
  ) {
    let sent = respond(to: request, result)
    let duration = since.map { now - $0 }
    if let written {
      return report(
        .write(
          request.central, name, offset: request.offset, value: written, error: result.failure.map { sent ?? $0 },
          isAcknowledged: request.expectsResponse, rule: rule, took: duration), of: app)
    }
    report(
      .read(
        request.central, name, offset: request.offset, PhoneEvent.Outcome(result, sent: sent), isCached: isCached,
        rule: rule, took: duration),
      of: app)
  }

  /// Responds to the central; returns the error that the central receives, if any.
  @discardableResult
  private func respond(to request: AttributeRequest, _ result: Result<[UInt8], ATTError>) -> ATTError? {
    // A change is saved before it is acknowledged.
    saveNow()
    return withRadio { $0.respond(to: request.id, result) } ?? nil
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
