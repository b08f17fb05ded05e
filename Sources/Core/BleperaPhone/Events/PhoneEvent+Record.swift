package import BleperaAppLink
import BleperaBluetooth
import BleperaRadio
import BleperaRules
import FoundationEssentials

/// The record of each event.
extension EventRecord {
  /// - Parameter app: the bundle identifier of the app that the event concerns; nil for events of the phone itself.
  package init(_ event: PhoneEvent, of app: String? = nil) {
    switch event {
    case .radio(.noDaemon(let crash)): self.init(.noDaemon, app, (.reason, crash))
    case .radio(.noAdapter(let adapter, let reason)):
      self.init(.noAdapter, app, (.adapter, adapter), (.reason, reason))
    case .radio(.poweredOff(let adapter)): self.init(.poweredOff, app, (.adapter, adapter))
    case .radio(.poweredOn(let adapter)): self.init(.poweredOn, app, (.adapter, adapter))
    case .poweringFailed(let adapter, let failure):
      self.init(.powerOnFailed, app, (.adapter, adapter), (.reason, "\(failure)"))
    case .published(let service, let handles):
      self.init(.published, app: app)
      add(service.uuid, handles)
    case .publishingFailed(let service, let reason):
      self.init(.publishingFailed, app, (.reason, reason))
      add(.service, service)
    case .moved(let service, let handles):
      self.init(.moved, app: app)
      add(service, handles)
    case .unpublished(let service):
      self.init(.unpublished, app: app)
      add(.service, service)
    case .advertising(let plan, let isIntervalHonored):
      self.init(.advertising, app: app)
      add(plan, isIntervalHonored)
    case .silent(let plan):
      self.init(.advertisingSuppressed, app: app)
      add(.reasons, .texts(plan.reasons.map { "\($0)" }))
    case .advertisingFailed(let failure): self.init(.advertisingFailed, app, (.reason, "\(failure)"))
    case .advertisingLost: self.init(.advertisingLost, app: app)
    case .advertisingStopped: self.init(.advertisingStopped, app: app)
    case .advertisingWithheld(let app, let rule): self.init(.advertisingWithheld, app, (.rule, "\(rule)"))
    case .packetsNotExact(let reason): self.init(.packetsNotExact, app, (.reason, reason))
    case .intervalsIgnored(let reason): self.init(.intervalsIgnored, app, (.reason, reason))
    case .state(let app, let state, let reason):
      self.init(.state, app, (.reason, reason.text), (.state, state.rawValue))
    case .queued(let app, let notice): self.init(.queued, app, notice)
    case .dropped(let app, let notice, let rule):
      self.init(.dropped, app, notice)
      add(.rule, "\(rule)")
    case .terminated(let app, let cause): self.init(.terminated, app, (.reason, cause.text))
    case .preserved(let app, let cause): self.init(.preserved, app, (.reason, "after \(cause.text)"))
    case .restored(
      let app, let services, let subscribers, let peripherals, let subscriptions, let isSuspended, let since):
      self.init(.restored, app, (.preservedSince, since?.formatted(.iso8601)))
      add(.awaitedSubscriptions, .number(subscribers))
      add(.serviceUUIDs, .texts(services.map { "\($0)" }))
      if isSuspended { add(.state, AppState.suspended.rawValue) }
      if !peripherals.isEmpty {
        add(.peripherals, .texts(peripherals.map(\.rawValue)))
        add(.subscriptions, .number(subscriptions))
      }
    case .screenRestored:
      self.init(.restored, app: app)
      add(.screenLocked, .flag(true))
    case .relaunching(let app, let reason): self.init(.relaunching, app, (.reason, reason.text))
    case .relaunchFailed(let app, let reason): self.init(.relaunchFailed, app, (.reason, reason))
    case .relaunchGivenUp(let app): self.init(.relaunchGivenUp, app: app)
    case .ended(let app): self.init(.removed, app: app)
    case .apiMisuse(let call, let state):
      self.init(.apiMisuse, app, (.reason, "\(call) is ignored until the state is poweredOn; it is \(state)"))
    case .kept(let centrals, let name, let bytes):
      self.init(.valueRetained, app: app)
      add(.centrals, .texts(centrals))
      add(name, bytes, limit: AttributeValue.maximumPacketLength)
    case .stateDamaged(let reason): self.init(.stateDamaged, app, (.reason, reason))
    case .notSaved(let reason): self.init(.savingFailed, app, (.reason, reason))
    case .connected(let device): self.init(.connected, app, (.central, device.id.rawValue))
    case .disconnected(let device): self.init(.disconnected, app, (.central, device.id.rawValue))
    case .paired(let device): self.init(.paired, app, (.central, device.id.rawValue))
    case .bondForgotten(let address, let isCentral):
      self.init(.bondForgotten, app, (isCentral ? .central : .peripheral, address))
    case .bondLost(let address, let isCentral, let reason):
      self.init(.bondLost, app, (isCentral ? .central : .peripheral, address), (.reason, reason))
    case .pairingQuestion(let question):
      self.init(.pairingQuestion, app, (question.isCentral ? .central : .peripheral, question.address))
      if let number = question.number { add(.passkey, Self.digits(number)) }
      add(.reason, question.advice)
    case .pairingRefused(let device, let reason):
      self.init(.pairingRefused, app, (.central, device.id.rawValue), (.reason, "\(reason)"))
    case .passkey(let device, let passkey):
      self.init(.passkey, app, (.central, device.id.rawValue), (.passkey, Self.digits(passkey)))
    case .pairingUnavailable(let failure): self.init(.pairingAgentFailed, app, (.reason, "\(failure)"))
    case .l2capPublished(let psm, let isEncrypted):
      self.init(.l2capPublished, app: app)
      add(.encrypted, .flag(isEncrypted))
      add(psm)
    case .l2capFailed(let failure): self.init(.l2capFailed, app, (.reason, "\(failure)"))
    case .l2capUnpublished(let psm):
      self.init(.l2capUnpublished, app: app)
      add(psm)
    case .l2capOpened(let peer, let psm):
      self.init(.l2capOpened, app: app)
      add(peer)
      add(psm)
    case .l2capClosed(let peer, let psm, let received, let sent):
      self.init(.l2capClosed, app: app)
      add(peer)
      add(psm)
      add(.received, .number(received))
      add(.sent, .number(sent))
    case .subscribed(let device, let name):
      self.init(.subscribed, app, (.central, device.id.rawValue))
      add(name)
    case .unsubscribed(let device, let name):
      self.init(.unsubscribed, app, (.central, device.id.rawValue))
      add(name)
    case .read(let device, let name, let offset, let outcome, let isCached, let rule, let took):
      self.init(.read, app: app)
      add(.cached, .flag(isCached))
      add(.central, device.id.rawValue)
      switch outcome {
      case .value(let bytes): add(name, offset: offset, error: nil, took: took, rule: rule, value: bytes)
      case .error(let error): add(name, offset: offset, error: error, took: took, rule: rule, value: nil)
      }
    case .write(
      let device, let name, let offset, let bytes, let error, let isAcknowledged, let rule, let took, let piece):
      self.init(.write, app: app)
      add(.acknowledged, .flag(isAcknowledged))
      add(.central, device.id.rawValue)
      add(name, offset: offset, piece: piece, error: error, took: took, rule: rule, value: bytes)
    case .notified(let devices, let name, let bytes):
      self.init(.notified, app: app)
      add(.centrals, .texts(devices.map(\.id.rawValue)))
      add(name, bytes, limit: devices.compactMap(\.longestUpdate).min())
    case .updateRefused(let name, let bytes, let reason):
      self.init(.updateRefused, app, (.reason, reason))
      add(name, bytes)
    case .confirmed(let name):
      self.init(.confirmed, app: app)
      add(name)
    case .discovered(let peripheral, let discovery):
      self.init(.discovered, app, (.localName, discovery.localName), (.peripheral, peripheral.rawValue))
      if !discovery.overflowServiceUUIDs.isEmpty {
        add(.overflowServiceUUIDs, .texts(discovery.overflowServiceUUIDs.map { "\($0.uuid)" }))
      }
      add(.serviceUUIDs, .texts(discovery.serviceUUIDs.map { "\($0)" }))
    case .peripheralConnected(let peripheral, let name):
      self.init(.peripheralConnected, app, (.localName, name), (.peripheral, peripheral.rawValue))
    case .peripheralDisconnected(let peripheral, let reason):
      self.init(.peripheralDisconnected, app, (.peripheral, peripheral.rawValue), (.reason, reason))
    case .received(let peripheral, let name, let value):
      self.init(.received, app, (.peripheral, peripheral.rawValue))
      add(name, value)
    case .writeDropped(let peripheral, let name, let value, let reason):
      self.init(.writeDropped, app, (.peripheral, peripheral.rawValue), (.reason, reason))
      if let name { add(name) }
      add(.value, .bytes(value))
    case .alert(let app, let peripheral, let reason):
      self.init(.alert, app, (.peripheral, peripheral.rawValue), (.reason, reason))
    case .radioEnded, .radioInterrupted: self.init(.busLost, app: app)
    case .asked(let request):
      self.init(
        .commandReceived, request.app ?? app, (.command, request.command.rawValue), (.method, request.method?.rawValue),
        (.defect, request.defect?.rawValue))
      add(.characteristic, request.characteristic)
      if request.defect != nil { add(.on, .flag(request.isOn != false)) }
      if let value = request.value { add(.value, .bytes(value)) }
    }
  }

  private init(_ event: Kind, _ app: String?, _ texts: (key: EventKey, text: String?)...) {
    self.init(event, app: app)
    for text in texts { add(text.key, text.text) }
  }

  private init(_ event: Kind, _ app: String, _ notice: PhoneEvent.Notice) {
    switch notice {
    case .subscribed(let central): self.init(event, app, (.central, central), (.pendingEvent, "subscribed"))
    case .unsubscribed(let central): self.init(event, app, (.central, central), (.pendingEvent, "unsubscribed"))
    case .callback(let name, let peripheral):
      self.init(event, app, (.pendingEvent, name), (.peripheral, peripheral?.rawValue))
    }
  }

  private mutating func add(_ service: BluetoothUUID, _ handles: ServiceHandles) {
    add(.handles, .numbers([Int(handles.start.rawValue), Int(handles.end.rawValue)]))
    add(.service, service)
  }

  private mutating func add(_ name: AttributeName) {
    add(.characteristic, name.characteristic)
    add(.descriptor, name.descriptor)
    add(.service, name.service)
  }

  /// A value, which is cut after `limit` bytes.
  private mutating func add(_ name: AttributeName, _ bytes: [UInt8], limit: Int? = nil) {
    add(name)
    if let limit, limit < bytes.count { add(.limit, .number(limit)) }
    add(.value, .bytes(bytes))
  }

  private mutating func add(_ peer: ChannelPeer) {
    switch peer {
    case .central(let central): add(.central, central.rawValue)
    case .peripheral(let peripheral): add(.peripheral, peripheral.rawValue)
    }
  }

  private mutating func add(_ psm: L2CAPPSM) { add(.psm, .number(Int(psm.rawValue))) }

  /// A request of a central; `took` as in `PhoneEvent`.
  private mutating func add(
    _ name: AttributeName, offset: Int, piece: PhoneEvent.Piece? = nil, error: ATTError?, took: Duration?,
    rule: RuleID?, value: [UInt8]?
  ) {
    add(.characteristic, name.characteristic)
    add(.descriptor, name.descriptor)
    if let error { add(.error, .error(error)) }
    add(.offset, .number(offset))
    if let piece {
      add(.piece, .number(piece.number))
      add(.pieces, .number(piece.count))
    }
    if let took { add(.responseMilliseconds, .number(Int(took / .milliseconds(1)))) }
    if let rule { add(.rule, "\(rule)") }
    add(.service, name.service)
    if let value { add(.value, .bytes(value)) }
  }

  private mutating func add(_ plan: AdvertisementPlan, _ isIntervalHonored: Bool?) {
    let content = plan.phone?.content
    if let phone = plan.phone {
      add(.advertisingData, .bytes(phone.advertisingData.bytes))
      add(.scanResponse, .bytes(phone.scanResponse.bytes))
    }
    if let interval = plan.interval {
      add(.interval, .interval(EventValue.Interval(minimum: interval.minimum, maximum: interval.maximum)))
    }
    if let isIntervalHonored { add(.intervalHonored, .flag(isIntervalHonored)) }
    add(.intervalKind, plan.intervalKind?.rawValue)
    add(.localName, content?.name)
    if !plan.overflow.isEmpty { add(.overflowServiceUUIDs, .texts(plan.overflow.map { "\($0.uuid)" })) }
    if !plan.reasons.isEmpty { add(.reasons, .texts(plan.reasons.map { "\($0)" })) }
    add(.serviceUUIDs, .texts((content?.serviceUUIDs ?? []).map { "\($0)" }))
  }
}
