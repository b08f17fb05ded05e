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
      self.init(Kind.powerOnFailed, adapter: adapter, reason: "\(failure)")
    case .published(let service, let handles):
      self.init(Kind.published, service: "\(service.uuid)", handles: handles)
    case .publishingFailed(let service, let reason):
      self.init(Kind.publishingFailed, service: "\(service)", reason: reason)
    case .moved(let service, let handles):
      self.init(Kind.moved, service: "\(service)", handles: handles)
    case .unpublished(let service): self.init(Kind.unpublished, service: "\(service)")
    case .advertising(let plan, let isIntervalHonored): self.init(plan, isIntervalHonored)
    case .silent(let plan):
      self.init(Kind.advertisingSuppressed)
      reasons = plan.reasons.map { "\($0)" }
    case .advertisingFailed(let failure): self.init(Kind.advertisingFailed, reason: "\(failure)")
    case .advertisingLost: self.init(Kind.advertisingLost)
    case .advertisingStopped: self.init(Kind.advertisingStopped)
    case .advertisingWithheld(let app, let rule):
      self.init(Kind.advertisingWithheld, app: app, rule: rule)
    case .packetsNotExact(let reason): self.init(Kind.packetsNotExact, reason: reason)
    case .intervalsIgnored(let reason): self.init(Kind.intervalsIgnored, reason: reason)
    case .state(let app, let state, let reason):
      self.init(Kind.state, app: app, reason: reason.text)
      self.state = state.rawValue
    case .queued(let app, let notice): self.init(Kind.queued, app, notice)
    case .dropped(let app, let notice): self.init(Kind.dropped, app, notice)
    case .terminated(let app, let cause): self.init(Kind.terminated, app: app, reason: cause.text)
    case .preserved(let app, let cause): self.init(Kind.preserved, app: app, reason: "after \(cause.text)")
    case .restored(let app, let services, let subscribers, let isSuspended, let since):
      self.init(Kind.restored, app: app)
      serviceUUIDs = services.map { "\($0)" }
      awaitedSubscriptions = subscribers
      if isSuspended { state = AppState.suspended.rawValue }
      preservedSince = since?.formatted(.iso8601)
    case .screenRestored:
      self.init(Kind.restored)
      screenLocked = true
    case .relaunching(let app, let reason): self.init(Kind.relaunching, app: app, reason: reason.text)
    case .relaunchFailed(let app, let reason): self.init(Kind.relaunchFailed, app: app, reason: reason)
    case .relaunchGivenUp(let app): self.init(Kind.relaunchGivenUp, app: app)
    case .ended(let app): self.init(Kind.removed, app: app)
    case .apiMisuse(let call, let state):
      self.init(Kind.apiMisuse, reason: "\(call) is ignored until the state is poweredOn; it is \(state)")
    case .kept(let centrals, let name, let bytes):
      self.init(Kind.valueRetained, nil, name, value: bytes)
      self.centrals = centrals
    case .stateDamaged(let reason): self.init(Kind.stateDamaged, reason: reason)
    case .notSaved(let reason): self.init(Kind.savingFailed, reason: reason)
    case .connected(let device): self.init(Kind.connected, device)
    case .disconnected(let device): self.init(Kind.disconnected, device)
    case .paired(let device): self.init(Kind.paired, device)
    case .pairingRefused(let device, let reason): self.init(Kind.pairingRefused, device, reason: "\(reason)")
    case .passkey(let device, let passkey):
      self.init(Kind.passkey, device)
      self.passkey = Self.digits(passkey)
    case .pairingUnavailable(let failure): self.init(Kind.pairingAgentFailed, reason: "\(failure)")
    case .l2capPublished(let psm, let isEncrypted):
      self.init(Kind.l2capPublished, psm: psm)
      encrypted = isEncrypted
    case .l2capFailed(let failure): self.init(Kind.l2capFailed, reason: "\(failure)")
    case .l2capUnpublished(let psm): self.init(Kind.l2capUnpublished, psm: psm)
    case .l2capOpened(let device, let psm): self.init(Kind.l2capOpened, device, psm: psm)
    case .l2capClosed(let device, let psm, let received, let sent):
      self.init(Kind.l2capClosed, device, psm: psm)
      (self.received, self.sent) = (received, sent)
    case .subscribed(let device, let name): self.init(Kind.subscribed, device, name)
    case .unsubscribed(let device, let name): self.init(Kind.unsubscribed, device, name)
    case .read(let device, let name, let offset, let outcome, let isCached, let rule, let took):
      self.init(Kind.read, device, name, rule: rule)
      self.offset = offset
      cached = isCached
      responseTime = took
      switch outcome {
      case .value(let bytes): value = Hex.string(bytes)
      case .error(let failure): error = Failure(failure)
      }
    case .write(
      let device, let name, let offset, let bytes, let failure, let isAcknowledged, let rule, let took, let piece):
      self.init(Kind.write, device, name, value: bytes, rule: rule)
      self.offset = offset
      acknowledged = isAcknowledged
      (self.piece, pieces) = (piece?.number, piece?.count)
      responseTime = took
      error = failure.map { Failure($0) }
    case .notified(let devices, let name, let bytes):
      self.init(Kind.notified, nil, name, value: bytes)
      centrals = devices.map(\.id.rawValue)
    case .updateRefused(let name, let bytes, let reason):
      self.init(Kind.updateRefused, nil, name, reason: reason, value: bytes)
    case .confirmed(let name): self.init(Kind.confirmed, nil, name)
    case .radioEnded, .radioInterrupted: self.init(Kind.busLost)
    case .asked(let request):
      self.init(Kind.commandReceived, app: request.app, value: request.value)
      command = request.command.rawValue
      method = request.method?.rawValue
      characteristic = request.characteristic.map { "\($0)" }
    }
  }

  private init(
    _ event: Kind, _ device: RadioCentral? = nil, _ name: AttributeName? = nil, app: String? = nil,
    adapter: String? = nil, service: String? = nil, reason: String? = nil, handles: ServiceHandles? = nil,
    value: [UInt8]? = nil, psm: L2CAPPSM? = nil, rule: RuleID? = nil
  ) {
    self.init(event)
    (self.app, self.adapter, self.reason) = (app, adapter, reason)
    self.value = value.map { Hex.string($0) }
    self.rule = rule.map { "\($0)" }
    self.handles = handles.map { [Int($0.start.rawValue), Int($0.end.rawValue)] }
    self.psm = psm.map { Int($0.rawValue) }
    central = device?.id.rawValue
    self.service = service ?? name.map { "\($0.service)" }
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
    self.init(event, app: app)
    switch notice {
    case .subscribed(let address): (pendingEvent, central) = ("subscribed", address)
    case .unsubscribed(let address): (pendingEvent, central) = ("unsubscribed", address)
    }
  }

  private init(_ state: RadioState) {
    switch state {
    case .noDaemon: self.init(Kind.noDaemon)
    case .noAdapter(let wanted): self.init(Kind.noAdapter, adapter: wanted)
    case .poweredOff(let name): self.init(Kind.poweredOff, adapter: name)
    case .poweredOn(let name): self.init(Kind.poweredOn, adapter: name)
    }
  }
}

extension EventRecord.Failure {
  fileprivate init(_ error: ATTError) { self.init(code: Int(error.rawValue), name: error.name) }
}

extension PhoneEvent {
  /// The event's record in a line.
  package func line(of app: String?, at time: Timestamp) -> [UInt8] {
    var record = EventRecord(self, of: app)
    record.time = time.date
    return JSONLine.encode(record)
  }

  /// The event as its record is shown; nil where it is not shown. Reads, writes and updates are shown without the record,
  /// as there may be thousands of them a second.
  ///
  /// - Parameter app: the bundle identifier of the app that the event concerns; nil for events of the phone itself.
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
