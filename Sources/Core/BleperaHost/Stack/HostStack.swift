package import BleperaBluetooth

/// The host of a device: the attributes that it serves and the requests that it sends, in L2CAP frames over the
/// connections of its link layer.
///
/// The host has no clock: `takeOutputs` returns its actions, and a timer that it starts ends in `fire`.
package struct HostStack: Sendable {
  let behavior: StackBehavior
  /// The ATT_MTU that the host offers over a link with data length, in bytes.
  private let longPacketMTU: Int
  /// The bytes of a frame that the link layer takes at once.
  let fragmentLength: Int
  /// The value of Device Name.
  package internal(set) var name: String
  package internal(set) var database: AttributeDatabase
  package internal(set) var links = SlotTable<ConnectionID, HostLink>()
  /// By the address under which the device knows its peer.
  package internal(set) var linksOfPeers: [DeviceAddress: ConnectionID] = [:]
  /// By the addresses by which the devices are known.
  package internal(set) var bonds: [DeviceAddress: SecurityBond]
  /// The addresses of the bonds, the least recent pairing first.
  package internal(set) var bondOrder: [DeviceAddress]
  /// The identity by which bonded devices know this one.
  let identity: SecurityIdentity
  /// The user's pairing capability; nil without an agent.
  var capability: PairingCapability?
  var isPairable = true
  /// Whether the L2CAP channels that peers may open require encryption.
  var publishedChannels: [L2CAPPSM: Bool] = [:]
  /// The channels that are open, or have something to read.
  var channels: [ChannelEnd: HostChannel] = [:]
  var outputs: [HostOutput] = []
  var lastRequest = 0
  /// The number of the last timer that has one.
  var lastTurn = 0

  /// - Parameters:
  ///   - name: the value of Device Name.
  ///   - identity: by which bonded devices know this one.
  ///   - mtu: the offered ATT_MTU, in bytes.
  ///   - fragmentLength: the bytes of a frame that the link layer takes at once.
  ///   - bonds: the keys from the start, by the addresses by which their devices are known.
  package init(
    _ behavior: StackBehavior, name: String, identity: SecurityIdentity, mtu: Int, fragmentLength: Int,
    bonds: [DeviceAddress: SecurityBond] = [:]
  ) {
    (self.behavior, self.name, self.identity, self.bonds) = (behavior, name, identity, bonds)
    (longPacketMTU, self.fragmentLength, bondOrder) = (mtu, fragmentLength, bonds.keys.sorted())
    database = AttributeDatabase(
      pnpID: behavior.pnpID, appearance: behavior.appearance, hasAddressResolution: behavior.hasAddressResolution,
      hasCaching: behavior.hasCaching, hasServerFeatures: behavior.hasServerFeatures)
  }

  /// The ATT_MTU that the host offers over a link now, in bytes.
  func offeredMTU(over id: ConnectionID) -> Int {
    let hasDataLength = (links[id]?.dataLength ?? 0) > DataLength.range.lowerBound
    return hasDataLength ? longPacketMTU : behavior.shortPacketMTU ?? longPacketMTU
  }

  @inlinable package mutating func apply(_ change: (inout HostStack) -> Void) { change(&self) }

  package mutating func takeOutputs() -> [HostOutput] {
    defer { outputs = [] }
    return outputs
  }

  mutating func act(_ action: HostAction) { outputs.append(.action(action)) }

  package mutating func fire(_ timer: HostTimer) {
    switch timer {
    case .requestTimesOut(let request): requestTimesOut(request)
    case .pairingTimesOut(let id, let turn):
      let isEncrypting = links[id]?.securing.timer == turn && links[id]?.securing.awaitsEncryption == true
      perform(links[id]?.securing.timeOut(turn), over: id)
      if isEncrypting, behavior.client == .phone { links[id]?.cause = .encryptionTimeout }
    case .discoveryBegins(let id): discoverAsPeripheral(over: id)
    case .answerTimesOut(let id, let turn):
      if links[id]?.tasks.isUnanswered(timer: turn) == true { end(id, because: .timeout) }
    case .indicationTimesOut(let id, let turn):
      if links[id]?.indications.isUnconfirmed(timer: turn) == true { end(id, because: .timeout) }
    case .channelTimesOut(let end, let turn): channelTimesOut(end, turn: turn)
    }
  }

  mutating func startTimer(_ timeout: ProcedureTimeout, _ timer: (Int) -> HostTimer) -> Int {
    lastTurn += 1
    outputs.append(.timer(timer(lastTurn), after: timeout.duration(for: behavior.client)))
    return lastTurn
  }

  // MARK: Connections

  /// Takes a new connection.
  ///
  /// - Parameters:
  ///   - isStrict: whether a Pairing Request of the peer that promises neither signing nor a link key stays unanswered.
  ///   - random: where keys, nonces and passkeys are drawn from.
  package mutating func open(
    _ id: ConnectionID, _ opening: LinkOpening, isStrict: Bool = false, random: RandomSource
  ) {
    let peer = knownAddress(of: opening.peer)
    let manager = SecurityManager(
      role: opening.isCentral ? .initiator : .responder, own: SecurityAddress(opening.own),
      peer: SecurityAddress(opening.peer),
      settings: settings(for: peer, asCentral: opening.isCentral, isStrict: isStrict), random: random)
    var link = HostLink(to: peer, manager)
    link.awaitsDataLength = opening.isCentral && behavior.client == .phone && behavior.shortPacketMTU != nil
    links[id] = link
    linksOfPeers[peer] = id
    if opening.isCentral {
      guard isUsable(bonds[peer]) else { return end(id, because: .identityMissing) }
      encryptIfBonded(over: id)
      switch behavior.client {
      case .discovering: beginDiscovery(over: id)
      case .phone: exchangeMTU(knowing: [], over: id)
      case .bluetoothd: break
      }
      return
    }
    if let greeting = behavior.greeting { send(L2CAPFrame(channel: Self.greetings, payload: greeting), over: id) }
    if let delay = behavior.peripheralDiscovery { outputs.append(.timer(.discoveryBegins(id), after: delay)) }
  }

  private static let greetings: UInt16 = 0x003A

  /// A central without keys loses its subscriptions, another one keeps them without a report (measured).
  ///
  /// - Returns: why the connection has ended, which the host itself may have decided; nil where there was none.
  @discardableResult
  package mutating func disconnected(_ id: ConnectionID, because end: LinkEnd) -> DisconnectionCause? {
    pairingEnded(.failure(.pairing(.failed)), over: id)
    guard let link = links.removeValue(forKey: id) else { return nil }
    let isUnanswered = (link.cause == .timeout || end == .responseTimeout) && link.securing.awaitsEncryption
    let cause =
      isUnanswered && behavior.client == .phone ? .encryptionTimeout : link.cause ?? DisconnectionCause(end)
    endChannels(over: id)
    if linksOfPeers[link.peer] == id { linksOfPeers[link.peer] = nil }
    for operation in link.frames.commands + link.tasks.operations {
      act(.completed(operation, .failure(.disconnected)))
    }
    guard bonds[link.peer] == nil else { return cause }
    for descriptor in database.configured(by: link.peer) {
      configure(descriptor, of: link.peer, to: 0, over: nil)
    }
    return cause
  }

  /// Ends a connection for a reason other than its user's request.
  mutating func end(_ id: ConnectionID, because cause: DisconnectionCause?) {
    links[id]?.cause = cause
    outputs.append(.link(id, .disconnect(.userTerminated)))
  }

  /// Takes a notice of the controller.
  package mutating func receive(_ notice: LinkNotice, over id: ConnectionID) {
    switch notice {
    case .data(let data): receive(data, over: id)
    case .sent:
      // The other side has the first data that it did not have.
      if let command = links[id]?.frames.acknowledge() { act(.completed(command, .success(.done))) }
    case .keyRequested(let random, let diversifier): keyRequested(random: random, diversifier: diversifier, over: id)
    case .encrypted: encrypted(over: id)
    case .encryptionRefused: encryptionRefused(over: id)
    case .parametersRequested(let request): requested(request, over: id)
    case .dataLength(let sent, let received): links[id]?.dataLength = min(sent, received)
    case .dataLengthAnswered:
      links[id]?.awaitsDataLength = false
      advance(id)
    case .features, .version, .parametersChanged, .parametersRefused, .ended: break
    }
  }

  private mutating func receive(_ data: LinkData, over id: ConnectionID) {
    guard let frame = links[id]?.frames.receive(data) else { return }
    switch frame.channel {
    case L2CAPFrame.attributes: receive(frame.payload, over: id)
    case L2CAPFrame.security: receiveSecurity(frame.payload, over: id)
    case L2CAPFrame.signaling: receiveSignal(frame.payload, over: id)
    default: receiveChannelFrame(frame, over: id)
    }
  }

  private mutating func receive(_ bytes: [UInt8], over id: ConnectionID) {
    do throws(ATTFault) {
      let pdu = try ATTPDU(bytes)
      switch pdu.opcode.kind {
      case .request, .command, .confirmation: serve(pdu, over: id)
      case .response, .notification, .indication: receive(pdu, over: id)
      }
    } catch {
      switch error {
      case .answered(let response): send(.errorResponse(response), over: id)
      case .unanswered:
        if bytes.first.flatMap({ ATTOpcode(rawValue: $0) })?.kind == .response { receive(response: nil, over: id) }
      }
    }
  }

  // MARK: Sending

  mutating func send(_ pdu: ATTPDU, as content: UnsentPiece = .part, over id: ConnectionID) {
    send(L2CAPFrame(channel: L2CAPFrame.attributes, payload: pdu.bytes), as: content, over: id)
  }

  mutating func send(_ frame: L2CAPFrame, as content: UnsentPiece = .part, over id: ConnectionID) {
    let pieces = frame.fragments(of: fragmentLength)
    links[id]?.frames.send(content, in: pieces.count)
    for piece in pieces { outputs.append(.link(id, .data(LinkData(isStart: piece.isStart, piece.bytes)))) }
  }
}

/// An output of a host.
package enum HostOutput: Sendable {
  case action(HostAction)
  case link(ConnectionID, LinkRequest)
  case timer(HostTimer, after: Duration)
  /// The host's bonds have changed.
  case bondsChanged
}
