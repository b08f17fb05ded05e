import BleperaBluetooth

@testable import BleperaHost

/// Two Security Managers on a link, each with a user.
struct SecurityPair {
  struct Side {
    var manager: SecurityManager
    var sent: [[UInt8]] = []
    var bond: SecurityBond?
    var failure: SecurityFailure?
    var isTimedOut = false
    /// The request that the user sees.
    var shown: PairingRequest?
    var isAsked = false
    var hasTimer = false
  }

  private(set) var initiator: Side
  private(set) var responder: Side
  private(set) var isEncrypted = false
  /// The PDUs that one side has sent and the other has not received.
  private(set) var underWay: [(isFromInitiator: Bool, bytes: [UInt8])] = []
  /// The passkey that users type if neither side shows one.
  var agreed: UInt32 = 123_456
  /// Whether the users respond.
  var isManned = true

  static let initiatorAddress = SecurityAddress(bits: 0x5A01_0203_0405, isRandom: true)
  static let responderAddress = SecurityAddress(bits: 0x00AA_0100_0000, isRandom: false)

  init(_ first: SecuritySettings, _ second: SecuritySettings, seed: UInt64 = 1) {
    initiator = Side(
      manager: SecurityManager(
        role: .initiator, own: Self.initiatorAddress, peer: Self.responderAddress, settings: first,
        random: .seeded(SplitMix64(seed: seed))))
    responder = Side(
      manager: SecurityManager(
        role: .responder, own: Self.responderAddress, peer: Self.initiatorAddress, settings: second,
        random: .seeded(SplitMix64(seed: seed + 1_000))))
  }

  private subscript(isInitiator: Bool) -> Side {
    get { isInitiator ? initiator : responder }
    set { if isInitiator { initiator = newValue } else { responder = newValue } }
  }

  mutating func start(byInitiator isInitiator: Bool = true) {
    perform(self[isInitiator].manager.start(), isInitiator)
  }

  /// Delivers what is under way until nothing is, and lets the time limits pass where a side waits.
  mutating func run() {
    while !underWay.isEmpty || userResponds() { if !underWay.isEmpty { deliver() } }
    for isInitiator in [true, false] where self[isInitiator].hasTimer {
      perform(self[isInitiator].manager.timeOut(), isInitiator)
      while !underWay.isEmpty { deliver() }
    }
  }

  /// Delivers the next PDU; or instead, those.
  mutating func deliver(_ replacements: [[UInt8]]? = nil) {
    let (isFromInitiator, bytes) = underWay.removeFirst()
    for bytes in replacements ?? [bytes] { receive(bytes, isInitiator: !isFromInitiator) }
  }

  mutating func receive(_ bytes: [UInt8], isInitiator: Bool) {
    perform(self[isInitiator].manager.receive(bytes), isInitiator)
  }

  mutating func respond(_ response: PairingResponse, isInitiator: Bool) {
    self[isInitiator].isAsked = false
    perform(self[isInitiator].manager.respond(response), isInitiator)
  }

  /// Whether one had something to respond.
  mutating func userResponds() -> Bool {
    guard isManned else { return false }
    for isInitiator in [true, false] where self[isInitiator].isAsked {
      let other = self[!isInitiator].shown
      switch self[isInitiator].shown {
      case .authorize: respond(.yes, isInitiator: isInitiator)
      case .compare(let digits): respond(other == .compare(digits) ? .yes : .no, isInitiator: isInitiator)
      case .type:
        if case .show(let passkey) = other {
          respond(.passkey(passkey), isInitiator: isInitiator)
        } else {
          respond(.passkey(agreed), isInitiator: isInitiator)
        }
      case .show, nil: continue
      }
      return true
    }
    return false
  }

  private mutating func perform(_ actions: [SecurityAction], _ isInitiator: Bool) {
    for action in actions {
      switch action {
      case .send(let bytes):
        self[isInitiator].sent.append(bytes)
        underWay.append((isInitiator, bytes))
      case .encrypt(let key, let random, let diversifier):
        isEncrypted = responder.manager.key(random: random, diversifier: diversifier) == key
        for isInitiator in [false, true] {
          let actions = self[isInitiator].manager.encryptionChanged(isEncrypted: isEncrypted)
          perform(actions, isInitiator)
        }
      case .ask(let request):
        self[isInitiator].shown = request
        if case .show = request { break }
        self[isInitiator].isAsked = true
      case .startTimer: self[isInitiator].hasTimer = true
      case .stopTimer: self[isInitiator].hasTimer = false
      case .requested: perform(self[isInitiator].manager.start(), isInitiator)
      case .paired(let bond): self[isInitiator].bond = bond
      case .failed(let reason, _): self[isInitiator].failure = reason
      case .timedOut: (self[isInitiator].isTimedOut, self[isInitiator].hasTimer) = (true, false)
      }
    }
  }
}
