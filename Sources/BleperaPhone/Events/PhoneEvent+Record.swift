package import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import FoundationEssentials

extension EventRecord {
  /// - Parameter app: the bundle identifier of the app that the event concerns; nil for events of the phone itself.
  package init(_ event: PhoneEvent, of app: String?) {
    self.init(event)
    self.app = self.app ?? app
  }

  package init(_ event: PhoneEvent) {
    switch event {
    case .radio(let state): self.init(state)
    case .poweringFailed(let adapter, let failure):
      self.init(Kind.powerOnFailed)
      self.adapter = adapter
      reason = "\(failure)"
    case .published(let service, let handles):
      self.init(Kind.published)
      self.service = "\(service.uuid)"
      self.handles = [Int(handles.start.rawValue), Int(handles.end.rawValue)]
    case .publishingFailed(let service, let reason):
      self.init(Kind.publishingFailed)
      self.service = "\(service)"
      self.reason = reason
    case .moved(let service, let handles):
      self.init(Kind.moved)
      self.service = "\(service)"
      self.handles = [Int(handles.start.rawValue), Int(handles.end.rawValue)]
    case .unpublished(let service):
      self.init(Kind.unpublished)
      self.service = "\(service)"
    case .advertising(let plan, let isIntervalHonored): self.init(plan, isIntervalHonored)
    case .silent(let plan):
      self.init(Kind.advertisingSuppressed)
      reasons = plan.reasons.map { "\($0)" }
    case .advertisingFailed(let failure):
      self.init(Kind.advertisingFailed)
      reason = "\(failure)"
    case .advertisingLost: self.init(Kind.advertisingLost)
    case .advertisingStopped: self.init(Kind.advertisingStopped)
    case .advertisingWithheld(let app, let rule):
      self.init(Kind.advertisingWithheld)
      self.app = app
      self.rule = "\(rule)"
    case .packetsNotExact(let reason):
      self.init(Kind.packetsNotExact)
      self.reason = reason
    case .intervalsIgnored(let reason):
      self.init(Kind.intervalsIgnored)
      self.reason = reason
    case .state(let app, let state, let reason):
      self.init(Kind.state)
      self.app = app
      self.state = state.rawValue
      self.reason = reason.text
    case .queued(let app, let notice): self.init(Kind.queued, app, notice)
    case .dropped(let app, let notice): self.init(Kind.dropped, app, notice)
    case .terminated(let app, let cause):
      self.init(Kind.terminated)
      self.app = app
      reason = cause.text
    case .preserved(let app, let cause):
      self.init(Kind.preserved)
      self.app = app
      reason = "after \(cause.text)"
    case .restored(let app, let services, let subscribers, let isSuspended, let since):
      self.init(Kind.restored)
      self.app = app
      serviceUUIDs = services.map { "\($0)" }
      awaitedSubscriptions = subscribers
      if isSuspended { state = AppState.suspended.rawValue }
      preservedSince = since?.formatted(.iso8601)
    case .screenRestored:
      self.init(Kind.restored)
      screenLocked = true
    case .relaunching(let app, let reason):
      self.init(Kind.relaunching)
      self.app = app
      self.reason = reason.text
    case .relaunchFailed(let app, let reason):
      self.init(Kind.relaunchFailed)
      self.app = app
      self.reason = reason
    case .relaunchGivenUp(let app):
      self.init(Kind.relaunchGivenUp)
      self.app = app
    case .ended(let app):
      self.init(Kind.removed)
      self.app = app
    case .apiMisuse(let call, let state):
      self.init(Kind.apiMisuse)
      reason = "\(call) is ignored until the state is poweredOn; it is \(state)"
    case .kept(let centrals, let name, let bytes):
      self.init(Kind.valueRetained, nil, name)
      self.centrals = centrals
      value = Hex.string(bytes)
    case .stateDamaged(let reason):
      self.init(Kind.stateDamaged)
      self.reason = reason
    case .notSaved(let reason):
      self.init(Kind.savingFailed)
      self.reason = reason
    case .connected(let device): self.init(Kind.connected, device)
    case .disconnected(let device): self.init(Kind.disconnected, device)
    case .paired(let device): self.init(Kind.paired, device)
    case .pairingRefused(let device, let reason):
      self.init(Kind.pairingRefused, device)
      self.reason = "\(reason)"
    case .passkey(let device, let passkey):
      self.init(Kind.passkey, device)
      self.passkey = Self.digits(passkey)
    case .pairingUnavailable(let failure):
      self.init(Kind.pairingAgentFailed)
      reason = "\(failure)"
    case .l2capPublished(let psm, let isEncrypted):
      self.init(Kind.l2capPublished)
      (self.psm, encrypted) = (Int(psm.rawValue), isEncrypted)
    case .l2capFailed(let failure):
      self.init(Kind.l2capFailed)
      reason = "\(failure)"
    case .l2capUnpublished(let psm):
      self.init(Kind.l2capUnpublished)
      self.psm = Int(psm.rawValue)
    case .l2capOpened(let device, let psm):
      self.init(Kind.l2capOpened, device)
      self.psm = Int(psm.rawValue)
    case .l2capClosed(let device, let psm, let received, let sent):
      self.init(Kind.l2capClosed, device)
      self.psm = Int(psm.rawValue)
      (self.received, self.sent) = (received, sent)
    case .subscribed(let device, let name): self.init(Kind.subscribed, device, name)
    case .unsubscribed(let device, let name): self.init(Kind.unsubscribed, device, name)
    case .read(let device, let name, let offset, let outcome, let isCached, let rule, let took):
      self.init(Kind.read, device, name)
      self.offset = offset
      cached = isCached
      self.rule = rule.map { "\($0)" }
      responseMilliseconds = took.map(Self.milliseconds)
      switch outcome {
      case .value(let bytes): value = Hex.string(bytes)
      case .error(let failure): error = Failure(failure)
      }
    case .write(
      let device, let name, let offset, let bytes, let failure, let isAcknowledged, let rule, let took, let piece):
      self.init(Kind.write, device, name)
      self.offset = offset
      value = Hex.string(bytes)
      acknowledged = isAcknowledged
      (self.piece, pieces) = (piece?.number, piece?.count)
      self.rule = rule.map { "\($0)" }
      responseMilliseconds = took.map(Self.milliseconds)
      error = failure.map { Failure($0) }
    case .notified(let devices, let name, let bytes):
      self.init(Kind.notified, nil, name)
      centrals = devices.map(\.id.rawValue)
      value = Hex.string(bytes)
    case .updateRefused(let name, let bytes, let reason):
      self.init(Kind.updateRefused, nil, name)
      value = Hex.string(bytes)
      self.reason = reason
    case .confirmed(let name): self.init(Kind.confirmed, nil, name)
    case .radioEnded, .radioInterrupted: self.init(Kind.busLost)
    case .asked(let request):
      self.init(Kind.commandReceived)
      command = request.command.rawValue
      self.app = request.app
      method = request.method?.rawValue
      characteristic = request.characteristic.map { "\($0)" }
      value = request.value.map { Hex.string($0) }
    }
  }

  private init(_ event: Kind, _ device: RadioCentral?, _ name: AttributeName? = nil) {
    self.init(event)
    central = device?.id.rawValue
    service = name.map { "\($0.service)" }
    characteristic = name.map { "\($0.characteristic)" }
    descriptor = name?.descriptor.map { "\($0)" }
  }

  private init(_ plan: AdvertisementPlan, _ isIntervalHonored: Bool?) {
    self.init(Kind.advertising)
    let content = plan.phone?.content
    localName = content?.name
    serviceUUIDs = (content?.serviceUUIDs ?? []).map { "\($0)" }
    overflowServiceUUIDs = plan.overflow.isEmpty ? nil : plan.overflow.map { "\($0.uuid)" }
    intervalKind = plan.intervalKind?.rawValue
    interval = plan.interval.map { Interval(minimum: $0.minimum, maximum: $0.maximum) }
    intervalHonored = isIntervalHonored
    advertisingData = plan.phone.map { Hex.string($0.advertisingData.bytes) }
    scanResponse = plan.phone.map { Hex.string($0.scanResponse.bytes) }
    reasons = plan.reasons.isEmpty ? nil : plan.reasons.map { "\($0)" }
  }

  private init(_ event: Kind, _ app: String, _ notice: PhoneEvent.Notice) {
    self.init(event)
    self.app = app
    switch notice {
    case .subscribed(let address): (pendingEvent, central) = ("subscribed", address)
    case .unsubscribed(let address): (pendingEvent, central) = ("unsubscribed", address)
    }
  }

  private init(_ state: RadioState) {
    switch state {
    case .noDaemon: self.init(Kind.noDaemon)
    case .noAdapter(let wanted):
      self.init(Kind.noAdapter)
      adapter = wanted
    case .poweredOff(let name):
      self.init(Kind.poweredOff)
      adapter = name
    case .poweredOn(let name):
      self.init(Kind.poweredOn)
      adapter = name
    }
  }

  fileprivate static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
}

extension EventRecord.Failure {
  fileprivate init(_ error: ATTError) { self.init(code: Int(error.rawValue), name: error.name) }
}

extension PhoneEvent {
  /// The event as its record is written, in a line; reads, writes and updates without the record, as there may be thousands
  /// of them a second.
  ///
  /// - Parameter app: the bundle identifier of the app that the event concerns; nil for events of the phone itself.
  package func line(of app: String?, at time: Timestamp) -> [UInt8] {
    JSONLine.encode(TimedEvent(event: self, app: app, time: time))
  }

  /// The event as its record is shown, without the record in the same cases; nil where it is not shown.
  package func text(of app: String?, at time: Timestamp, isColored: Bool) -> String? {
    switch self {
    case .read(let central, let name, let offset, let outcome, let isCached, let rule, _):
      return EventLine.text(.read, at: time.clock, isColored: isColored) { details in
        details.append(central.id.rawValue)
        details.append(name)
        var error: ATTError?
        switch outcome {
        case .value(let bytes): details.append(value: bytes)
        case .error(let failure): error = failure
        }
        details.append(offset: offset, isCached: isCached, error: error)
        if let rule { details.append("(\(rule))") }
      }
    case .write(let central, let name, let offset, let bytes, let error, let isAcknowledged, let rule, _, let piece):
      return EventLine.text(.write, at: time.clock, isColored: isColored) { details in
        details.append(central.id.rawValue)
        details.append(name)
        details.append(value: bytes)
        details.append(
          offset: offset, piece: piece.map { ($0.number, $0.count) }, isAcknowledged: isAcknowledged, error: error)
        if let rule { details.append("(\(rule))") }
      }
    case .notified(let centrals, let name, let bytes):
      return EventLine.text(.notified, at: time.clock, isColored: isColored) { details in
        for index in centrals.indices { details.append(centrals[index].id.rawValue, after: index > 0 ? " " : "  ") }
        details.append(name)
        details.append(value: bytes)
      }
    default:
      let record = EventRecord(self, of: app)
      return record.event.isShown ? EventLine.text(record, at: time.clock, isColored: isColored) : nil
    }
  }
}

extension EventDetails {
  fileprivate mutating func append(_ name: AttributeName) {
    append(characteristic: "\(name.characteristic)", name.descriptor.map { "\($0)" })
  }
}

private struct TimedEvent: JSONLineWritable {
  let event: PhoneEvent
  let app: String?
  let time: Timestamp

  func encode(to encoder: any Encoder) throws {
    var record = EventRecord(event, of: app)
    record.time = time.date
    try record.encode(to: encoder)
  }

  func write(to object: inout JSONObjectWriter) -> Bool {
    switch event {
    case .read(let central, let name, let offset, let outcome, let isCached, let rule, let took):
      object.begin()
      object.add("app", app)
      object.add("cached", isCached)
      object.add("central", central.id.rawValue)
      add(name, to: &object)
      if case .error(let error) = outcome { add(error, to: &object) }
      object.add("event", EventRecord.Kind.read.rawValue)
      object.add("offset", offset)
      object.add("responseMilliseconds", took.map(EventRecord.milliseconds))
      object.add("rule", rule.map { "\($0)" })
      object.add("service", "\(name.service)")
      object.add("time", time.date)
      if case .value(let bytes) = outcome { object.add("value", Hex.string(bytes)) }
    case .write(
      let central, let name, let offset, let bytes, let error, let isAcknowledged, let rule, let took, let piece):
      object.begin()
      object.add("acknowledged", isAcknowledged)
      object.add("app", app)
      object.add("central", central.id.rawValue)
      add(name, to: &object)
      if let error { add(error, to: &object) }
      object.add("event", EventRecord.Kind.write.rawValue)
      object.add("offset", offset)
      object.add("piece", piece?.number)
      object.add("pieces", piece?.count)
      object.add("responseMilliseconds", took.map(EventRecord.milliseconds))
      object.add("rule", rule.map { "\($0)" })
      object.add("service", "\(name.service)")
      object.add("time", time.date)
      object.add("value", Hex.string(bytes))
    case .notified(let centrals, let name, let bytes):
      object.begin()
      object.add("app", app)
      object.add("centrals", centrals.map(\.id.rawValue))
      add(name, to: &object)
      object.add("event", EventRecord.Kind.notified.rawValue)
      object.add("service", "\(name.service)")
      object.add("time", time.date)
      object.add("value", Hex.string(bytes))
    default:
      var record = EventRecord(event, of: app)
      record.time = time.date
      return record.write(to: &object)
    }
    object.end()
    return true
  }

  private func add(_ name: AttributeName, to object: inout JSONObjectWriter) {
    object.add("characteristic", "\(name.characteristic)")
    object.add("descriptor", name.descriptor.map { "\($0)" })
  }

  private func add(_ error: ATTError, to object: inout JSONObjectWriter) {
    object.begin("error")
    object.add("code", Int(error.rawValue))
    object.add("name", error.name)
    object.end()
  }
}
