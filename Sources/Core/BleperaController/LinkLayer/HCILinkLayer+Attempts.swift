import BleperaBluetooth
import BleperaHCIProtocol
import BleperaHost

enum AttemptStep: Hashable, Sendable {
  case resolution(Bool)
  case clearKeys
  case addKey(DeviceAddress)
  case privacyMode(DeviceAddress)
  case clearList
  case addPeer(DeviceAddress)
  case create
  case cancel
}

/// The controller's attempt to connect to the first of the devices that are waited for.
struct Attempt: Sendable {
  /// An attempt as the controller is asked for.
  struct Plan: Hashable, Sendable {
    let devices: PendingConnections
    /// The address without resolution.
    let address: DeviceAddress

    /// The only device, which needs neither of the lists; some emulated controllers ignore the accept list.
    var peer: DeviceAddress? {
      guard devices.peers.count == 1, let (peer, key) = devices.peers.first, key == nil else { return nil }
      return peer
    }
  }

  enum Phase: Sendable {
    /// Becomes `preparing`.
    case idle
    /// Becomes `creating` or `waiting`.
    case preparing([AttemptStep])
    /// The command is in flight. Becomes `on`, `waiting` or `idle`.
    case creating
    /// Becomes `cancelling`, `waiting` or `idle`.
    case on
    /// The controller is to report the end of the attempt, until that time. Becomes `idle`.
    case cancelling(Duration)
    /// The controller has refused; there is another attempt at that time. Becomes `idle`.
    case waiting(Duration)
  }

  var wanted: PendingConnections?
  var phase = Phase.idle
  /// The plan of the phase; nil where nothing is waited for.
  var plan: Plan?
  /// Whether it is not known if there is an attempt, so that it is canceled.
  var isDoubtful = false
  /// The devices that the accept list has taken.
  var accepted = 0
  /// Whether the accept list has no room for further devices.
  var isFull = false
  /// The devices whose keys the resolving list has, with the phone's own.
  var keys: [DeviceAddress: IdentityResolvingKey] = [:]
  var ownKey: IdentityResolvingKey?
  var isResolving = false

  init(wanted: PendingConnections? = nil) { self.wanted = wanted }

  var deadline: Duration? {
    switch phase {
    case .cancelling(let end), .waiting(let end): end
    case .idle, .preparing, .creating, .on: nil
    }
  }

  /// Whether the controller may be trying to connect, so that the random address cannot change.
  var isOnAir: Bool {
    switch phase {
    case .creating, .on, .cancelling: true
    case .idle, .preparing, .waiting: false
    }
  }

  /// Whether advertising and scans pause: the resolving list cannot change beside them (7.8.38, 7.8.44).
  var needsSilence: Bool {
    guard case .preparing(let steps) = phase else { return false }
    return switch steps.first {
    case .resolution, .clearKeys, .addKey, .privacyMode: true
    case .clearList, .addPeer, .create, .cancel, nil: false
    }
  }
}

extension HCILinkLayer {
  /// The attempt that is due now: a device that is connected is left out.
  var duePlan: Attempt.Plan? {
    guard isPowered, var devices = attempt.wanted else { return nil }
    for link in links.values where !link.isGone {
      if let known = devices.known([link.peer, link.wanted]) { devices.peers[known] = nil }
    }
    return devices.peers.isEmpty ? nil : Attempt.Plan(devices: devices, address: address)
  }

  mutating func tickAttempt() {
    guard let end = attempt.deadline, end <= now else { return }
    if case .cancelling = attempt.phase, !attempt.isDoubtful {
      refused(HCI.leCreateConnectionCancel.opcode.rawValue, .unanswered)
    }
    attempt.phase = attempt.isDoubtful ? .on : .idle
  }

  mutating func nextAttemptCommand() -> ControllerCommand? {
    let due = duePlan
    switch attempt.phase {
    case .creating, .cancelling: return nil
    case .on:
      guard attempt.plan != due || attempt.isDoubtful else { return nil }
      attempt.isDoubtful = false
      attempt.phase = .cancelling(now + Self.retryTime)
      return ControllerCommand(HCI.leCreateConnectionCancel, HCINothing(), for: .attempt(.cancel))
    case .waiting:
      guard attempt.plan != due else { return nil }
      prepare(due)
    case .preparing: if attempt.plan != due { prepare(due) }
    case .idle: prepare(due)
    }
    guard case .preparing(let steps) = attempt.phase, let step = steps.first else { return nil }
    if attempt.needsSilence, scanner.isOn || advertising.slots.values.contains(where: \.isOn) { return nil }
    if step == .create {
      // The address is set first, or is public.
      guard !address.isRandom || appliedAddress == address else { return nil }
      attempt.phase = .creating
    }
    return command(step)
  }

  private mutating func prepare(_ plan: Attempt.Plan?) {
    attempt.plan = plan
    let keys = plan?.devices.peers.compactMapValues(\.self) ?? [:]
    let ownKey = keys.isEmpty ? nil : plan?.devices.ownKey
    var steps: [AttemptStep] = []
    if keys != attempt.keys || ownKey != attempt.ownKey || attempt.isResolving == keys.isEmpty {
      if attempt.isResolving { steps.append(.resolution(false)) }
      if !keys.isEmpty {
        steps.append(.clearKeys)
        for peer in keys.keys.sorted() {
          steps.append(.addKey(peer))
          if controller.names(HCI.leSetPrivacyMode) { steps.append(.privacyMode(peer)) }
        }
        steps.append(.resolution(true))
      }
    }
    if plan?.peer != nil {
      steps.append(.create)
    } else if let plan {
      (attempt.accepted, attempt.isFull) = (0, false)
      steps += [.clearList] + plan.devices.peers.keys.sorted().map { .addPeer($0) } + [.create]
    }
    attempt.phase = steps.isEmpty ? .idle : .preparing(steps)
  }

  private func command(_ step: AttemptStep) -> ControllerCommand? {
    let purpose = ControllerCommand.Purpose.attempt(step)
    switch step {
    case .resolution(let isOn):
      return ControllerCommand(HCI.leSetAddressResolutionEnable, HCIFlag(isOn), for: purpose)
    case .clearKeys: return ControllerCommand(HCI.leClearResolvingList, HCINothing(), for: purpose)
    case .addKey(let peer):
      let devices = attempt.plan?.devices
      let entry = HCIResolvingListEntry(
        peer, peerKey: Self.number(devices?.peers[peer] ?? nil), ownKey: Self.number(devices?.ownKey))
      return ControllerCommand(HCI.leAddDeviceToResolvingList, entry, for: purpose)
    case .privacyMode(let peer):
      // A bonded device may also advertise at its identity address (7.8.77).
      return ControllerCommand(HCI.leSetPrivacyMode, HCIPrivacyMode(peer, isDeviceMode: true), for: purpose)
    case .clearList: return ControllerCommand(HCI.leClearFilterAcceptList, HCINothing(), for: purpose)
    case .addPeer(let peer):
      return ControllerCommand(HCI.leAddDeviceToFilterAcceptList, HCIAcceptListEntry(peer), for: purpose)
    case .create: return createCommand()
    case .cancel: return ControllerCommand(HCI.leCreateConnectionCancel, HCINothing(), for: purpose)
    }
  }

  /// The least significant octet of a key is its last one.
  private static func number(_ key: IdentityResolvingKey?) -> UInt128 {
    key.map { $0.bytes.reduce(0) { $0 << 8 | UInt128($1) } } ?? 0
  }

  private func createCommand() -> ControllerCommand? {
    guard let devices = attempt.plan?.devices else { return nil }
    let always = ScanWindow(interval: .milliseconds(60), window: .milliseconds(60))
    let (interval, window) = Self.scanUnits(devices.window ?? always, most: controller.isExtended ? 0xFFFF : 0x4000)
    let ownType: UInt8 = (attempt.isResolving && attempt.ownKey != nil ? 2 : 0) | (address.isRandom ? 1 : 0)
    let parameters = HCIConnectionParameters(devices.parameters)
    let peer = attempt.plan?.peer
    let policy: UInt8 = peer == nil ? 1 : 0
    guard controller.isExtended else {
      var create = HCICreateConnection()
      (create.interval, create.window, create.policy, create.ownType) = (interval, window, policy, ownType)
      (create.parameters, create.peer) = (parameters, peer ?? create.peer)
      return ControllerCommand(HCI.leCreateConnection, create, for: .attempt(.create))
    }
    var create = HCIExtendedCreateConnection()
    (create.interval, create.window, create.policy, create.ownType) = (interval, window, policy, ownType)
    (create.parameters, create.peer) = (parameters, peer ?? create.peer)
    return ControllerCommand(HCI.leExtendedCreateConnection, create, for: .attempt(.create))
  }
}

// MARK: Answers
extension HCILinkLayer {
  mutating func completed(_ step: AttemptStep, status: UInt8?) {
    switch (step, attempt.phase) {
    case (.create, .creating):
      switch status {
      case 0: attempt.phase = .on
      case nil: (attempt.phase, attempt.isDoubtful) = (.on, true)
      default:
        if isAddressDoubtful { appliedAddress = nil }
        attempt.phase = .waiting(now + Self.retryTime)
      }
    // Command Disallowed: there is no attempt any more.
    case (.cancel, .cancelling):
      if status == HCIError.commandDisallowed.rawValue { attempt.phase = .idle }
      // Otherwise the command is sent again where the attempt has not ended by then.
      attempt.isDoubtful = status != 0 && status != HCIError.commandDisallowed.rawValue
    case (_, .preparing(let steps)) where steps.first == step: prepared(step, Array(steps.dropFirst()), status: status)
    default: break
    }
  }

  private mutating func prepared(_ step: AttemptStep, _ rest: [AttemptStep], status: UInt8?) {
    var rest = rest
    switch step {
    case .resolution(let isOn):
      attempt.isResolving = isOn && status == 0
      if attempt.isResolving, let devices = attempt.plan?.devices {
        (attempt.keys, attempt.ownKey) = (devices.peers.compactMapValues(\.self), devices.ownKey)
      }
    case .addPeer:
      if status == 0 { attempt.accepted += 1 }
      guard status == HCIError.memoryCapacityExceeded.rawValue else { break }
      rest.removeAll { if case .addPeer = $0 { true } else { false } }
    case .clearKeys, .addKey, .privacyMode, .clearList, .create, .cancel: break
    }
    // An empty list would accept nobody.
    let isFutile = rest == [.create] && attempt.accepted == 0 && attempt.plan?.peer == nil
    attempt.phase = isFutile ? .waiting(now + Self.retryTime) : rest.isEmpty ? .idle : .preparing(rest)
  }

  func reason(of command: ControllerCommand, _ status: UInt8?) -> ControllerRefusal.Reason {
    if case .attempt(.addPeer) = command.purpose, status == HCIError.memoryCapacityExceeded.rawValue {
      return .room(for: attempt.accepted, of: attempt.plan?.devices.peers.count ?? 0)
    }
    return status.map { .status($0) } ?? .unanswered
  }

  /// The controller has ended the attempt without a connection.
  mutating func attemptEnded(status: UInt8) {
    switch attempt.phase {
    case .cancelling: (attempt.phase, attempt.isDoubtful) = (.idle, false)
    case .on, .creating:
      attempt.phase = .waiting(now + Self.retryTime)
      guard status != HCIError.unknownConnection.rawValue else { return }
      let opcode = controller.isExtended ? HCI.leExtendedCreateConnection.opcode : HCI.leCreateConnection.opcode
      refused(opcode.rawValue, .status(status))
    case .idle, .preparing, .waiting: break
    }
  }

  /// The controller has connected to a device, which ends the attempt.
  ///
  /// - Returns: the address by which the device is known; nil for a device that is not waited for any more.
  mutating func attemptSucceeded(_ addresses: [DeviceAddress]) -> DeviceAddress? {
    switch attempt.phase {
    case .on, .creating, .cancelling, .waiting: (attempt.phase, attempt.isDoubtful) = (.idle, false)
    case .idle, .preparing: break
    }
    guard isPowered, let known = attempt.wanted?.known(addresses) else { return nil }
    attempt.wanted?.peers[known] = nil
    if attempt.wanted?.peers.isEmpty == true { attempt.wanted = nil }
    return known
  }
}
