import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules

/// What apps publish, and who answers what a central reads and writes.
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

  /// The radio has published a service, or could not.
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
    // Its subscribers are reported as gone while the service can still be named.
    withRadio { $0.remove(service: service.handles.start) }
    services.remove(id, of: app)
    if isReported { report(.unpublished(service: service.definition.uuid), of: app) }
    restored.forget(app, id)
  }

  func removeAllServices(of app: AppID, areReported: Bool = true) {
    for service in services.services(of: app) { removeService(service.id, of: app, isReported: areReported) }
  }

  /// Forgets what all apps have published; they add it again when Bluetooth is back (R14).
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

  /// Puts a request to an app, as far as the rules allow; `value` is nil for a read.
  private func ask(
    _ found: PublishedServices.Attribute, _ request: AttributeRequest, value: [UInt8]?,
    message: (RequestID) -> PhoneMessage
  ) {
    let event = requests.add(request, of: found.app, found.name, value: value, since: now, message: message)
    feed(.request(found.app, event, value == nil ? .read : request.expectsResponse ? .write : .command))
  }

  /// An app's answer. A second answer and one of another app are ignored; one that comes after a refusal tells the rules
  /// only that the app is done.
  func respond(to id: RequestID, _ error: ATTError?, _ value: [UInt8], from app: AppID) {
    guard let (event, request) = requests.answer(id, by: app) else { return }
    if !request.isRefused { finish(request, error.map { .failure($0) } ?? .success(value), rule: nil) }
    feed(.answered(app, event))
  }

  /// Answers the central; the rule is that of a refusal.
  func finish(_ entry: PendingRequests.Request, _ result: Result<[UInt8], ATTError>, rule: RuleID?) {
    answer(entry.request, of: entry.app, entry.name, written: entry.value, result, rule: rule, since: entry.since)
  }

  /// Answers the central and reports it.
  ///
  /// - Parameters:
  ///   - written: the value of a write; nil for a read.
  ///   - since: when the app was asked; nil where it was not.
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

  /// The error that the central receives, where it receives one.
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
  /// - Parameter sent: the error that the radio sent in place of the one given.
  fileprivate init(_ result: Result<[UInt8], ATTError>, sent: ATTError?) {
    switch result {
    case .success(let value): self = .value(value)
    case .failure(let error): self = .error(sent ?? error)
    }
  }
}
