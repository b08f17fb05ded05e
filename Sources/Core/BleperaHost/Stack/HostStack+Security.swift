package import BleperaBluetooth

/// Pairing, encryption and the keys that a host keeps.
extension HostStack {
  // MARK: Keys

  package func isBonded(with peer: DeviceAddress) -> Bool { bonds[peer] != nil }

  /// The address by which a device is known that uses this one: that of its bond, if its keys say that it is the same.
  package func knownAddress(of peer: DeviceAddress) -> DeviceAddress {
    guard bonds[peer] == nil else { return peer }
    let known = bonds.first { _, bond in
      guard let identity = bond.identity else { return false }
      return identity.address.deviceAddress == peer || peer.isRandom && identity.key?.resolves(peer.bits) == true
    }
    return known?.key ?? peer
  }

  /// With which the addresses of bonded devices are resolved, by the addresses by which these are known.
  package var resolvingKeys: [DeviceAddress: IdentityResolvingKey] { bonds.compactMapValues { $0.identity?.key } }

  mutating func removeBond(with peer: DeviceAddress) {
    bonds[peer] = nil
    outputs.append(.bondsChanged)
  }

  // MARK: Pairing

  mutating func pair(_ operation: OperationID, over id: ConnectionID) {
    guard let link = links[id] else { return act(.completed(operation, .failure(.notConnected))) }
    guard link.pairing == nil, !link.manager.isPairing else {
      return act(.completed(operation, .failure(.pairing(.inProgress))))
    }
    links[id]?.pairing = operation
    startPairing(over: id)
  }

  private mutating func startPairing(over id: ConnectionID) {
    guard capability != nil || behavior.pairsUnattended else { return pairingFailed(over: id) }
    updateSettings(over: id)
    perform(links[id]?.manager.start(), over: id)
  }

  /// What the user wants now; a pairing under way keeps what it began with.
  private mutating func updateSettings(over id: ConnectionID) {
    guard let link = links[id], !link.manager.isPairing else { return }
    let settings = settings(
      for: link.peer, asCentral: link.isCentral, isStrict: link.manager.settings.isStrict)
    links[id]?.manager.settings = settings
  }

  func settings(for peer: DeviceAddress, asCentral isCentral: Bool, isStrict: Bool) -> SecuritySettings {
    var settings = SecuritySettings()
    // Without an agent, no user can type, read or answer.
    settings.capability = capability ?? .noInputNoOutput
    // As a central an iPhone has a passkey typed, too (noble issue 243), and its user confirms every pairing.
    if isCentral, behavior.client == .phone, capability == .displayOnly { settings.capability = .keyboardDisplay }
    settings.requirements = [.bonding, .authentication, .secureConnections]
    settings.identity = identity
    settings.passkey = behavior.passkey
    settings.isPairable = isPairable && capability != nil
    settings.authorizes = !isCentral || behavior.client == .phone
    settings.hasBond = bonds[peer] != nil
    settings.isStrict = isStrict
    return settings
  }

  mutating func cancelPairing(over id: ConnectionID) {
    guard links[id]?.manager.isTimed == true else { return }
    links[id]?.isPairingCancelled = true
    perform(links[id]?.manager.respond(.no), over: id)
  }

  mutating func respond(to id: ConnectionID, _ answer: PairingResponse) {
    links[id]?.isAsked = false
    perform(links[id]?.manager.respond(answer), over: id)
  }

  mutating func receiveSecurity(_ bytes: [UInt8], over id: ConnectionID) {
    updateSettings(over: id)
    perform(links[id]?.manager.receive(bytes), over: id)
  }

  mutating func pairingTimesOut(_ id: ConnectionID, turn: Int) {
    if links[id]?.pairingTurn == turn { perform(links[id]?.manager.timeOut(), over: id) }
  }

  private mutating func perform(_ steps: [SecurityAction]?, over id: ConnectionID) {
    for step in steps ?? [] { perform(step, over: id) }
  }

  private mutating func perform(_ step: SecurityAction, over id: ConnectionID) {
    switch step {
    case .send(let bytes): send(L2CAPFrame(channel: L2CAPFrame.security, payload: bytes), over: id)
    case .encrypt(let key, let random, let diversifier):
      outputs.append(.link(id, .encrypt(LinkKey(key, random: random, diversifier: diversifier))))
    case .requested(let requirements): secure(id, as: requirements)
    case .ask(let question):
      if case .show(let passkey) = question {
        links[id]?.passkey = passkey
      } else {
        links[id]?.isAsked = true
      }
      act(.pairingRequest(id, question))
    case .startTimer:
      let timeout: ProcedureTimeout = links[id]?.manager.isPairing == true ? .pairing : .securityRequest
      let turn = startTimer(timeout) { .pairingTimesOut(id, turn: $0) }
      links[id]?.pairingTurn = turn
    case .stopTimer: links[id]?.pairingTurn = nil
    case .paired(let bond): paired(bond, over: id)
    case .failed: pairingFailed(over: id)
    case .timedOut:
      pairingFailed(over: id)
      outputs.append(.link(id, .disconnect(.authenticationFailure)))
    }
  }

  private mutating func paired(_ bond: SecurityBond, over id: ConnectionID) {
    guard var peer = links[id]?.peer else { return }
    links[id]?.security = bond.security
    if bond.isBonded {
      // A central knows its peer by the identity address from now on, as bluetoothd does (`new_irk_callback`).
      if links[id]?.isCentral == true, let identity = bond.identity {
        linksOfPeers[peer] = nil
        peer = identity.address.deviceAddress
        linksOfPeers[peer] = id
        links[id]?.peer = peer
      }
      bonds[peer] = bond
      outputs.append(.bondsChanged)
      act(.paired(id))
    }
    pairingEnded(.success(.bytes([])), over: id)
    resumeRefused(over: id)
  }

  private mutating func pairingFailed(over id: ConnectionID) {
    pairingEnded(.failure(.pairing(links[id]?.isPairingCancelled == true ? .cancelled : .failed)), over: id)
    failRefused(with: .unlikelyError, over: id)
  }

  private mutating func pairingEnded(_ result: Result<ClientAnswer, ClientFailure>, over id: ConnectionID) {
    if links[id]?.isAsked == true { act(.pairingCancelled(id)) }
    if let operation = links[id]?.pairing { act(.completed(operation, result)) }
    links[id]?.isAsked = false
    links[id]?.isPairingCancelled = false
    links[id]?.passkey = nil
    links[id]?.pairing = nil
  }

  /// The connection has ended.
  mutating func endSecurity(of link: HostLink, _ id: ConnectionID) {
    if link.isAsked { act(.pairingCancelled(id)) }
    if let operation = link.pairing { act(.completed(operation, .failure(.pairing(.failed)))) }
  }

  // MARK: Encryption

  /// Encrypts with the key of the bond, as a central of Linux does when it has connected.
  mutating func encryptIfBonded(over id: ConnectionID) {
    guard let peer = links[id]?.peer, let key = bonds[peer]?.asCentral else { return }
    links[id]?.isEncrypting = true
    outputs.append(
      .link(id, .encrypt(LinkKey(key.value, random: key.random, diversifier: key.diversifier))))
  }

  /// The key that the peripheral has: of the pairing under way, or of the bond.
  mutating func keyRequested(random: UInt64, diversifier: UInt16, over id: ConnectionID) {
    var key = links[id]?.manager.key(random: random, diversifier: diversifier)
    if key == nil, let peer = links[id]?.peer, let stored = bonds[peer]?.asPeripheral,
      stored.random == random, stored.diversifier == diversifier
    {
      links[id]?.isEncrypting = true
      key = stored.value
    }
    outputs.append(.link(id, .key(key)))
  }

  mutating func encrypted(over id: ConnectionID) {
    guard let link = links[id] else { return }
    links[id]?.isEncrypting = false
    // The bond may have been removed since.
    let bond = link.isEncrypting ? bonds[link.peer] : nil
    links[id]?.security = bond?.security ?? max(link.security, .encrypted)
    if bond != nil { act(.secured(id)) }
    if link.isEncrypting { resumeRefused(over: id) }
    perform(links[id]?.manager.encryptionChanged(isEncrypted: true), over: id)
    // The central has answered a Security Request with the key of a bond.
    if links[id]?.manager.isPairing == false, links[id]?.pairing != nil { pairingEnded(.success(.bytes([])), over: id) }
  }

  /// The peripheral has no key.
  mutating func encryptionRefused(over id: ConnectionID) {
    // An iPhone's user has to forget the peripheral first.
    if behavior.client == .phone, links[id]?.isEncrypting == true { end(id, because: .keyMissing) }
    links[id]?.isEncrypting = false
    links[id]?.isKeyMissing = true
    perform(links[id]?.manager.encryptionChanged(isEncrypted: false), over: id)
    if links[id]?.refusal != nil, links[id]?.cause == nil { startPairing(over: id) }
  }

  // MARK: Refused requests

  /// Like bluetoothd, raises the security of an insufficiently secured link, and repeats the request. A phone also does
  /// that after a key that is too short, and waits for a pairing that the peer has begun.
  mutating func secure(_ id: ConnectionID, after error: ATTError) -> Bool {
    let isPhone = behavior.client == .phone
    guard
      error == .insufficientEncryption || error == .insufficientAuthentication
        || isPhone && error == .insufficientEncryptionKeySize,
      case .operation(var procedure)? = links[id]?.active, !procedure.hasSecured,
      isPhone || links[id]?.manager.isPairing == false
    else { return false }
    procedure.hasSecured = true
    links[id]?.active = .operation(procedure)
    links[id]?.refusal = error
    raiseSecurity(over: id)
    return true
  }

  /// The peripheral asks for security, also where the link is encrypted already, which refreshes the key.
  private mutating func secure(_ id: ConnectionID, as requirements: SecurityRequirements) {
    let canAuthenticate = (capability ?? .noInputNoOutput) != .noInputNoOutput
    raiseSecurity(over: id) { bond, _ in
      bond.isAuthenticated || !requirements.contains(.authentication) || !canAuthenticate
    }
  }

  /// Encrypts a link with the key of the bond if that is good enough, or pairs.
  private mutating func raiseSecurity(
    over id: ConnectionID, where isGoodEnough: (SecurityBond, HostLink) -> Bool = { $1.security == .open }
  ) {
    guard let link = links[id], !link.isEncrypting else { return }
    if link.isCentral, let bond = bonds[link.peer], bond.asCentral != nil, !link.isKeyMissing, isGoodEnough(bond, link)
    {
      encryptIfBonded(over: id)
    } else {
      startPairing(over: id)
    }
  }

  private mutating func resumeRefused(over id: ConnectionID) {
    guard links[id]?.refusal != nil else { return }
    links[id]?.refusal = nil
    start(over: id)
  }

  private mutating func failRefused(with error: ATTError, over id: ConnectionID) {
    guard links[id]?.refusal != nil else { return }
    links[id]?.refusal = nil
    finish(.failure(behavior.client == .phone ? .pairing(.failed) : .att(error)), over: id)
  }
}

extension SecurityBond {
  var security: LinkSecurity { isAuthenticated ? .authenticated : .encrypted }
}

extension SecurityAddress {
  package init(_ address: DeviceAddress) { self.init(bits: address.bits, isRandom: address.isRandom) }

  package var deviceAddress: DeviceAddress { DeviceAddress(bits: bits, isRandom: isRandom) }
}
