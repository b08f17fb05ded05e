package import BleperaBluetooth

/// Pairing, encryption and the keys that a host keeps.
extension HostStack {
  // MARK: Keys

  package func isBonded(with peer: DeviceAddress) -> Bool { bonds[peer] != nil }

  /// The address by which a peer is known: the address of its bond if the bond's keys resolve the peer's address.
  package func knownAddress(of peer: DeviceAddress) -> DeviceAddress {
    guard bonds[peer] == nil else { return peer }
    let known = bonds.first { _, bond in
      guard let identity = bond.identity else { return false }
      return identity.address.deviceAddress == peer || peer.isRandom && identity.key?.resolves(peer.bits) == true
    }
    return known?.key ?? peer
  }

  /// The keys that resolve the addresses of bonded devices, by the addresses by which the devices are known.
  package var resolvingKeys: [DeviceAddress: IdentityResolvingKey] { bonds.compactMapValues { $0.identity?.key } }

  mutating func removeBond(with peer: DeviceAddress) {
    bonds[peer] = nil
    bondOrder.removeAll { $0 == peer }
    outputs.append(.bondsChanged)
  }

  mutating func keep(_ bond: SecurityBond, of peer: DeviceAddress) {
    removeBond(with: peer)
    guard behavior.bonding.limit != 0 else { return }
    // For a phone, a key resolves the addresses of the peripheral that has bonded last (R17).
    if behavior.client == .phone, let key = bond.identity?.key {
      for (other, former) in bonds where former.identity?.key == key {
        bonds[other]?.identity = former.identity.map { SecurityIdentity(address: $0.address, key: nil) }
      }
    }
    bonds[peer] = bond
    bondOrder.append(peer)
    if let limit = behavior.bonding.limit, bondOrder.count > limit { removeBond(with: bondOrder[0]) }
  }

  /// A phone uses no key of Secure Connections without the peripheral's identity (R17).
  func isUsable(_ bond: SecurityBond?) -> Bool {
    guard behavior.client == .phone, let bond else { return true }
    return !bond.isSecureConnections || bond.identity != nil
  }

  // MARK: Pairing

  mutating func pair(_ operation: OperationID, over id: ConnectionID) {
    guard let isFirst = links[id]?.securing.begin(operation) else {
      return act(.completed(operation, .failure(.notConnected)))
    }
    guard isFirst else { return act(.completed(operation, .failure(.pairing(.inProgress)))) }
    startPairing(over: id)
  }

  private mutating func startPairing(over id: ConnectionID) {
    guard capability != nil || behavior.pairsUnattended else { return pairingFailed(over: id) }
    updateSettings(over: id)
    perform(links[id]?.securing.manager.start(), over: id)
  }

  /// Takes the user's present settings; a pairing under way keeps those with which it began.
  private mutating func updateSettings(over id: ConnectionID) {
    guard let peer = links[id]?.peer, let securing = links[id]?.securing, !securing.manager.isPairing else { return }
    let isStrict = securing.manager.settings.isStrict
    let settings = settings(for: peer, asCentral: securing.isCentral, isStrict: isStrict)
    links[id]?.securing.manager.settings = settings
  }

  func settings(for peer: DeviceAddress, asCentral isCentral: Bool, isStrict: Bool) -> SecuritySettings {
    var settings = SecuritySettings()
    // Without an agent, no user can type, read or answer.
    settings.capability = capability ?? .noInputNoOutput
    // As a central an iPhone has a passkey typed, too (noble issue 243), and its user confirms every pairing.
    if isCentral, behavior.client == .phone, capability?.canShow == true { settings.capability = .keyboardDisplay }
    settings.requirements = [.bonding, .authentication]
    if behavior.bonding.usesSecureConnections { settings.requirements.insert(.secureConnections) }
    settings.identity = behavior.bonding.givesIdentity ? identity : nil
    settings.passkey = behavior.passkey
    settings.isPairable = isPairable && capability != nil
    settings.authorizes = !isCentral || behavior.client == .phone
    settings.hasBond = bonds[peer] != nil
    settings.isStrict = isStrict
    return settings
  }

  mutating func cancelPairing(over id: ConnectionID) {
    perform(links[id]?.securing.cancel(), over: id, failing: .cancelled)
  }

  mutating func respond(to id: ConnectionID, _ answer: PairingResponse) {
    perform(links[id]?.securing.respond(answer), over: id)
  }

  mutating func receiveSecurity(_ bytes: [UInt8], over id: ConnectionID) {
    updateSettings(over: id)
    perform(links[id]?.securing.manager.receive(bytes), over: id)
  }

  /// - Parameter failure: why a pairing has failed that the steps end.
  mutating func perform(_ steps: [SecurityAction]?, over id: ConnectionID, failing failure: PairingFailure = .failed) {
    for step in steps ?? [] {
      switch step {
      case .send(let bytes): send(L2CAPFrame(channel: L2CAPFrame.security, payload: bytes), over: id)
      case .encrypt(let key, let random, let diversifier):
        outputs.append(.link(id, .encrypt(LinkKey(key, random: random, diversifier: diversifier))))
      case .requested(let requirements): secure(id, as: requirements)
      case .ask(let question):
        links[id]?.securing.ask(question)
        act(.pairingRequest(id, question))
      case .startTimer:
        let timeout: ProcedureTimeout = links[id]?.securing.manager.isPairing == true ? .pairing : .securityRequest
        let timer = startTimer(timeout) { .pairingTimesOut(id, turn: $0) }
        links[id]?.securing.timer = timer
      case .stopTimer: links[id]?.securing.timer = nil
      case .paired(let bond): paired(bond, over: id)
      case .failed: pairingFailed(failure, over: id)
      case .timedOut:
        pairingFailed(over: id)
        outputs.append(.link(id, .disconnect(.authenticationFailure)))
      }
    }
  }

  private mutating func paired(_ bond: SecurityBond, over id: ConnectionID) {
    guard var peer = links[id]?.peer else { return }
    links[id]?.securing.paired(bond)
    if bond.isBonded {
      // A central knows its peer by the identity address from now on, as bluetoothd does (`new_irk_callback`).
      if links[id]?.securing.isCentral == true, let identity = bond.identity {
        linksOfPeers[peer] = nil
        peer = identity.address.deviceAddress
        linksOfPeers[peer] = id
        links[id]?.peer = peer
      }
      keep(bond, of: peer)
      act(.paired(id))
    }
    pairingEnded(.success(.done), over: id)
    if links[id]?.tasks.resume() == true { start(over: id) }
  }

  private mutating func pairingFailed(_ failure: PairingFailure = .failed, over id: ConnectionID) {
    pairingEnded(.failure(.pairing(failure)), over: id)
    guard links[id]?.tasks.resume() == true else { return }
    finish(.failure(behavior.client == .phone ? .pairing(.failed) : .att(.unlikelyError)), over: id)
  }

  mutating func pairingEnded(_ result: Result<ProcedureAnswer, ProcedureFailure>, over id: ConnectionID) {
    guard let end = links[id]?.securing.end() else { return }
    if end.isAsked { act(.pairingCancelled(id)) }
    if let operation = end.operation { act(.completed(operation, result)) }
  }

  // MARK: Encryption

  /// Encrypts with the key of the bond, as a central of Linux does when it has connected.
  mutating func encryptIfBonded(over id: ConnectionID) {
    guard let peer = links[id]?.peer, let key = bonds[peer]?.asCentral else { return }
    links[id]?.securing.beginEncryption()
    outputs.append(.link(id, .encrypt(LinkKey(key.value, random: key.random, diversifier: key.diversifier))))
  }

  /// The key that the peripheral has: of the pairing under way, or of the bond.
  mutating func keyRequested(random: UInt64, diversifier: UInt16, over id: ConnectionID) {
    var key = links[id]?.securing.manager.key(random: random, diversifier: diversifier)
    if key == nil, let peer = links[id]?.peer, let stored = bonds[peer]?.asPeripheral,
      stored.random == random, stored.diversifier == diversifier
    {
      links[id]?.securing.beginEncryption()
      key = stored.value
    }
    if key == nil { act(.keyUnknown(id)) }
    outputs.append(.link(id, .key(key)))
  }

  mutating func encrypted(over id: ConnectionID) {
    let bond = (links[id]?.peer).flatMap { bonds[$0] }
    if links[id]?.securing.encrypted(bond) == true {
      if bond != nil { act(.secured(id)) }
      if links[id]?.tasks.resume() == true { start(over: id) }
    }
    perform(links[id]?.securing.manager.encryptionChanged(isEncrypted: true), over: id)
    // The central has answered a Security Request with the key of a bond.
    if links[id]?.securing.isOverdue == true { pairingEnded(.success(.done), over: id) }
  }

  /// The peripheral has no key.
  mutating func encryptionRefused(over id: ConnectionID) {
    // An iPhone's user has to forget the peripheral first.
    if links[id]?.securing.encryptionRefused() == true, behavior.client == .phone { end(id, because: .keyMissing) }
    perform(links[id]?.securing.manager.encryptionChanged(isEncrypted: false), over: id)
    if links[id]?.tasks.isSecuring == true, links[id]?.cause == nil { startPairing(over: id) }
  }

  // MARK: Refused requests

  /// Like bluetoothd, raises the security of an insufficiently secured link, and repeats the request. A phone also does
  /// that after a key that is too short, and waits for a pairing that the peer has begun.
  mutating func secure(_ id: ConnectionID, after error: ATTError) -> Bool {
    let isPhone = behavior.client == .phone
    guard
      error == .insufficientEncryption || error == .insufficientAuthentication
        || isPhone && error == .insufficientEncryptionKeySize,
      isPhone || links[id]?.securing.manager.isPairing == false, links[id]?.tasks.secure() == true
    else { return false }
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
    over id: ConnectionID, where isGoodEnough: (SecurityBond, LinkSecurity) -> Bool = { $1 == .open }
  ) {
    guard let peer = links[id]?.peer, let securing = links[id]?.securing, !securing.isEncrypting else { return }
    if securing.isCentral, !securing.isKeyMissing, let bond = bonds[peer], bond.asCentral != nil,
      isGoodEnough(bond, securing.level)
    {
      encryptIfBonded(over: id)
    } else {
      startPairing(over: id)
    }
  }
}

extension SecurityBond {
  var security: LinkSecurity { isAuthenticated ? .authenticated : .encrypted }
}

extension SecurityAddress {
  package init(_ address: DeviceAddress) { self.init(bits: address.bits, isRandom: address.isRandom) }

  package var deviceAddress: DeviceAddress { DeviceAddress(bits: bits, isRandom: isRandom) }
}
