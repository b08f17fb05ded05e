import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

/// Connections: their begin and end, and their data with the controller's credits.
extension HCILinkLayer {
  /// How long an opening waits for the event that names the set; ours.
  private static let openingTime = Duration.milliseconds(10)
  /// How long the end of a link may take: longer than the longest supervision timeout, 32 s; ours.
  private static let endTime = Duration.seconds(35)
  private static let handles: ClosedRange<UInt16> = 0...0x0EFF

  // MARK: Begin

  mutating func connected(_ event: HCIConnectionComplete) {
    guard event.status == 0 else {
      if event.isCentral || event.status == HCIError.unknownConnection.rawValue { attemptEnded(status: event.status) }
      return
    }
    guard Self.handles.contains(event.handle) else { return }
    // The controller has used the number of a link again without its end.
    if links[event.handle] != nil { removeLink(event.handle, because: .connectionTimeout) }
    let peer = event.peerPrivate ?? event.peer
    let known = event.isCentral ? attemptSucceeded([event.peer, peer]) : peer
    lastConnection += 1
    var link = ControllerLink(
      ConnectionID(lastConnection), isCentral: event.isCentral, peer: peer, wanted: known ?? peer)
    link.isGone = known == nil || !isPowered
    link.opening = (event, now + Self.openingTime)
    links[event.handle] = link
    guard !link.isGone else { return disconnect(event.handle, .userTerminated) }
    if event.isCentral { return open(event.handle, set: nil) }
    let sets = connectableSets
    if let early = earlySet, early.handle == event.handle, sets.contains(early.set) {
      return open(event.handle, set: early.set)
    }
    if sets.count <= 1 { open(event.handle, set: sets.first) }
  }

  /// LE Advertising Set Terminated names the set of a connection, mostly after the connection.
  mutating func setAnswered(_ set: UInt8, by handle: UInt16) {
    guard let link = links[handle] else { return earlySet = (handle, set) }
    if link.opening != nil { open(handle, set: set) }
  }

  /// Reports a link.
  private mutating func open(_ handle: UInt16, set: UInt8?) {
    guard let link = links[handle], let event = link.opening?.event else { return }
    links[handle]?.opening = nil
    earlySet = nil
    guard !link.isGone else { return }
    let (own, advertisement) = set.map { endSet($0) } ?? (nil, nil)
    let opening = LinkOpening(
      isCentral: link.isCentral, own: event.ownPrivate ?? own ?? address, peer: link.peer, wanted: link.wanted,
      advertisement: advertisement,
      parameters: LinkParameters(interval: event.interval, latency: event.latency, timeout: event.timeout))
    outputs.append(.event(.connected(link.id, opening)))
    if dataLength == HCISuggestedDataLength() { return notify(handle, .dataLengthAnswered) }
    setDataLength(dataLength, of: handle)
  }

  /// Reports a link whose set is not known yet, as that of the first set.
  private mutating func settle(_ handle: UInt16) {
    if links[handle]?.opening != nil { open(handle, set: connectableSets.first) }
  }

  // MARK: Requests

  private func handle(of id: ConnectionID) -> UInt16? { links.first { $0.value.id == id && !$0.value.isGone }?.key }

  mutating func link(_ id: ConnectionID, _ request: LinkRequest) {
    guard let handle = handle(of: id), let link = links[handle], link.ending == nil else { return }
    func send<Parameters, Returns>(
      _ step: LinkStep, _ type: HCICommandType<Parameters, Returns>, _ parameters: Parameters
    ) {
      commands.add(ControllerCommand(type, parameters, for: .link(handle, step)))
    }
    switch request {
    case .data(let data): links[handle]?.add(data)
    case .encrypt(let key):
      let parameters = HCIEnableEncryption(
        handle, random: key.random, diversifier: key.diversifier, key: key.value)
      send(.encrypt, HCI.leEnableEncryption, parameters)
    case .key(let key?): send(.key, HCI.leLongTermKeyRequestReply, HCIOfLink(handle, key))
    case .key(nil): send(.key, HCI.leLongTermKeyRequestNegativeReply, HCINumber(handle))
    case .update(let parameters):
      let offer = HCIOfLink(handle, HCIConnectionParameters(parameters))
      guard link.awaitsAnswer else { return send(.parameters, HCI.leConnectionUpdate, offer) }
      links[handle]?.awaitsAnswer = false
      send(.answerParameters, HCI.leRemoteConnectionParameterRequestReply, offer)
    case .requestParameters(let request):
      guard controller.has(.parameterRequest) else {
        return notify(handle, .parametersRefused(reason: HCIError.unsupportedFeature.rawValue))
      }
      links[handle]?.hasRequestedParameters = true
      let offer = HCIConnectionParameters(
        least: request.intervals.lowerBound, most: request.intervals.upperBound, latency: request.latency,
        timeout: request.timeout)
      send(.parameters, HCI.leConnectionUpdate, HCIOfLink(handle, offer))
    case .refuseParameters(let reason):
      links[handle]?.awaitsAnswer = false
      send(.answerParameters, HCI.leRemoteConnectionParameterRequestNegativeReply, HCIOfLink(handle, reason))
    case .setDataLength(let length): setDataLength(HCISuggestedDataLength(length), of: handle)
    case .disconnect(let reason): disconnect(handle, reason)
    case .abandon: disconnect(handle, .userTerminated)
    // A phone's host asks for neither: the controllers exchange both by themselves.
    case .readFeatures, .readVersion: break
    }
  }

  private mutating func setDataLength(_ length: HCISuggestedDataLength, of handle: UInt16) {
    guard controller.has(.dataLength), !lacksDataLength else { return notify(handle, .dataLengthAnswered) }
    links[handle]?.length = .asked(hasChanged: false)
    commands.add(
      ControllerCommand(HCI.leSetDataLength, HCIOfLink(handle, length), for: .link(handle, .dataLength)))
  }

  /// The reasons that Disconnect takes (7.1.6).
  private static let reasons: Set<UInt8> = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]

  mutating func disconnect(_ handle: UInt16, _ reason: LinkEnd) {
    guard links[handle] != nil, links[handle]?.ending == nil else { return }
    let code = Self.reasons.contains(reason.rawValue) ? reason.rawValue : LinkEnd.userTerminated.rawValue
    links[handle]?.ending = (code, now + Self.endTime, nil)
    links[handle]?.dropData()
    sendDisconnect(handle)
  }

  private mutating func sendDisconnect(_ handle: UInt16) {
    guard let reason = links[handle]?.ending?.reason else { return }
    links[handle]?.ending?.retry = nil
    commands.add(ControllerCommand(HCI.disconnect, HCIOfLink(handle, reason), for: .link(handle, .disconnect)))
  }

  mutating func readRSSI(_ operation: OperationID, _ id: ConnectionID) {
    guard let handle = handle(of: id) else { return outputs.append(.event(.rssi(operation, nil))) }
    commands.add(ControllerCommand(HCI.readRSSI, HCINumber(handle), for: .rssi(handle, operation)))
  }

  // MARK: Answers

  mutating func completed(_ step: LinkStep, of handle: UInt16, status: UInt8?) {
    guard status != 0 || step == .dataLength else { return }
    switch step {
    case .encrypt: notify(handle, .encryptionRefused(LinkEnd(rawValue: status ?? LinkEnd.responseTimeout.rawValue)))
    case .parameters where links[handle]?.hasRequestedParameters == true:
      links[handle]?.hasRequestedParameters = false
      notify(handle, .parametersRefused(reason: status ?? LinkEnd.responseTimeout.rawValue))
    case .dataLength: dataLengthCompleted(of: handle, status: status)
    // The controller does not have the link any more.
    case .disconnect where status == HCIError.unknownConnection.rawValue: removeLink(handle, because: .hostTerminated)
    case .disconnect: links[handle]?.ending?.retry = now + Self.resumptionTime
    case .key, .parameters, .answerParameters: break
    }
  }

  private mutating func dataLengthCompleted(of handle: UInt16, status: UInt8?) {
    if status == nil || status == HCIError.unknownCommand.rawValue { lacksDataLength = true }
    guard case .asked(let hasChanged) = links[handle]?.length else { return }
    if status == 0, !hasChanged {
      links[handle]?.length = .begun(until: now + Self.lengthTime)
    } else {
      lengthAnswered(handle)
    }
  }

  /// How long a peer may take to answer with its data length, since the controller reports changes alone; ours.
  private static let lengthTime = Duration.seconds(1)

  private mutating func lengthAnswered(_ handle: UInt16) {
    links[handle]?.length = .none
    notify(handle, .dataLengthAnswered)
  }

  private mutating func notify(_ handle: UInt16, _ notice: LinkNotice) {
    guard let link = links[handle], !link.isGone else { return }
    outputs.append(.event(.link(link.id, notice)))
  }

  // MARK: Events

  mutating func takeLinkEvent(_ event: HCIEvent) {
    switch event {
    case .encryptionChange(let event):
      settle(event.handle)
      if event.status != 0 { return encryptionFailed(event.handle, event.status) }
      if event.isOn != 0 { encrypted(event.handle, isRefresh: links[event.handle]?.isEncrypted == true) }
    case .encryptionKeyRefresh(let event):
      settle(event.handle)
      if event.status != 0 { return encryptionFailed(event.handle, event.status) }
      encrypted(event.handle, isRefresh: true)
    case .connectionUpdate(let event):
      settle(event.handle)
      let hasRequested = links[event.handle]?.hasRequestedParameters == true
      links[event.handle]?.hasRequestedParameters = false
      let parameters = LinkParameters(interval: event.interval, latency: event.latency, timeout: event.timeout)
      if event.status == 0 {
        notify(event.handle, .parametersChanged(parameters))
      } else if hasRequested {
        notify(event.handle, .parametersRefused(reason: event.status))
      }
    case .longTermKeyRequest(let event):
      settle(event.handle)
      guard links[event.handle]?.isCentral == false else { return }
      notify(event.handle, .keyRequested(random: event.random, diversifier: event.diversifier))
    case .parameterRequest(let event): parametersRequested(event)
    case .dataLengthChange(let event):
      settle(event.handle)
      notify(event.handle, .dataLength(sent: Int(event.sent), received: Int(event.received)))
      switch links[event.handle]?.length {
      case .asked: links[event.handle]?.length = .asked(hasChanged: true)
      case .begun: lengthAnswered(event.handle)
      case .some(.none), nil: break
      }
    default: break
    }
  }

  private mutating func encrypted(_ handle: UInt16, isRefresh: Bool) {
    links[handle]?.isEncrypted = true
    notify(handle, .encrypted(isRefresh: isRefresh))
  }

  /// Keys that differ end a link, as a real one ends by the first packet that cannot be decrypted; some emulated
  /// controllers leave it to the host.
  private mutating func encryptionFailed(_ handle: UInt16, _ status: UInt8) {
    notify(handle, .encryptionRefused(LinkEnd(rawValue: status)))
    guard [LinkEnd.authenticationFailure, .integrityFailure].contains(LinkEnd(rawValue: status)) else { return }
    links[handle]?.cause = .integrityFailure
    disconnect(handle, .authenticationFailure)
  }

  private mutating func parametersRequested(_ event: HCIParameterRequest) {
    settle(event.handle)
    guard let link = links[event.handle], !link.isGone else { return }
    links[event.handle]?.awaitsAnswer = true
    let request = LinkParameterRequest(
      from: event.least, to: event.most, latency: event.latency, timeout: event.timeout)
    // Unacceptable Connection Parameters
    guard let request else { return self.link(link.id, .refuseParameters(reason: 0x3B)) }
    notify(event.handle, .parametersRequested(request))
  }

  // MARK: Data

  mutating func receiveData(_ packet: [UInt8]) {
    guard state == .ready, packet.count >= 4 else { return }
    let head: UInt16 = LittleEndian.number(packet[..<2])
    let handle = head & 0x0FFF
    settle(handle)
    notify(handle, .data(LinkData(isStart: head >> 12 & 0b11 != 0b01, Array(packet[4...]))))
  }

  /// Each link sends a packet in turn while the controller has room.
  mutating func sendData() {
    guard state == .ready else { return }
    while credits > 0, let handle = nextSender,
      let packet = links[handle]?.takePacket(for: handle, upTo: Int(controller.buffers.length))
    {
      if credits == Int(controller.buffers.packets) { lastProgress = now }
      credits -= 1
      lastSender = handle
      outputs.append(.send(packet))
    }
  }

  private var nextSender: UInt16? {
    var (first, next): (UInt16?, UInt16?)
    for (handle, link) in links where link.hasData {
      first = min(first ?? handle, handle)
      if handle > lastSender { next = min(next ?? handle, handle) }
    }
    return next ?? first
  }

  mutating func completed(_ count: UInt16, of handle: UInt16) {
    guard let (packets, data) = links[handle]?.complete(Int(count)) else { return }
    credits += packets
    lastProgress = now
    for _ in 0..<data { notify(handle, .sent) }
  }

  // MARK: End

  mutating func tickLinks() {
    for handle in links.keys.sorted() {
      guard let link = links[handle] else { continue }
      if let end = link.opening?.end, end <= now { settle(handle) }
      if case .begun(let end) = link.length, end <= now { lengthAnswered(handle) }
      if let retry = link.ending?.retry, retry <= now { sendDisconnect(handle) }
      if let end = link.ending?.end, end <= now {
        // The host has waited long enough; the controller still has the link.
        finish(handle, link.cause ?? .hostTerminated)
        links[handle]?.ending?.end = now + Self.endTime
        sendDisconnect(handle)
      }
    }
    guard links.values.contains(where: { !$0.inController.isEmpty }), lastProgress + Self.stall <= now else { return }
    failed("the controller has completed no data for \(Self.stall.components.seconds) s")
  }

  /// The controller has the link no more.
  mutating func removeLink(_ handle: UInt16, because end: LinkEnd) {
    if state == .ready { settle(handle) }
    // A link that was not reported has no end either.
    if links[handle]?.opening != nil { links[handle]?.isGone = true }
    finish(handle, links[handle]?.cause ?? end)
    guard let link = links.removeValue(forKey: handle) else { return }
    credits += link.inController.count
    for command in commands.drop(link: handle) { fail(command) }
    resume()
  }

  /// Reports the end of a link, which the controller may still have.
  mutating func finish(_ handle: UInt16, _ end: LinkEnd) {
    notify(handle, .ended(end))
    links[handle]?.isGone = true
  }
}
