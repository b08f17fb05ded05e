import BleperaBluetooth

/// How a link is secured: by pairing, with the user and a timer, and by encryption with the key of the bond.
struct SecurityProcedure: Sendable {
  /// The user's part in a pairing: nothing, a question without an answer, or a passkey to be seen.
  private enum Dialog: Hashable {
    case none
    case asked(PairingRequest)
    case shown(UInt32)
  }
  /// The use of the bond's key. `encrypting` becomes `idle` or `missing`; a peer without the key has none until the
  /// connection ends.
  private enum BondKey { case idle, encrypting, missing }

  var manager: SecurityManager
  /// The number of the pairing's timer that runs; nil for none.
  var timer: Int?
  private(set) var level = LinkSecurity.open
  /// The operation that waits for the pairing.
  private(set) var operation: OperationID?
  private var dialog = Dialog.none
  private var bondKey = BondKey.idle

  init(_ manager: SecurityManager) { self.manager = manager }

  var isCentral: Bool { manager.role == .initiator }
  var passkey: UInt32? { if case .shown(let passkey) = dialog { passkey } else { nil } }
  /// The question that the user has not answered.
  var question: PairingRequest? { if case .asked(let question) = dialog { question } else { nil } }
  var isEncrypting: Bool { bondKey == .encrypting }
  var isKeyMissing: Bool { bondKey == .missing }
  /// Whether the central has begun to encrypt, with the key of the bond or of a pairing.
  var awaitsEncryption: Bool { isCentral && (isEncrypting || manager.isEncrypting) }
  /// Whether an operation waits, but for no pairing.
  var isOverdue: Bool { operation != nil && !manager.isPairing }

  /// Returns false while the link is being paired.
  mutating func begin(_ operation: OperationID) -> Bool {
    guard self.operation == nil, !manager.isPairing else { return false }
    self.operation = operation
    return true
  }

  mutating func ask(_ question: PairingRequest) {
    dialog = if case .show(let passkey) = question { .shown(passkey) } else { .asked(question) }
  }

  mutating func respond(_ answer: PairingResponse) -> [SecurityAction] {
    if question != nil { dialog = .none }
    return manager.respond(answer)
  }

  mutating func cancel() -> [SecurityAction] { manager.isTimed ? manager.respond(.no) : [] }
  mutating func timeOut(_ timer: Int) -> [SecurityAction] { self.timer == timer ? manager.timeOut() : [] }
  mutating func paired(_ bond: SecurityBond) { level = bond.security }

  /// The pairing has ended. Returns whether the user was being asked, and the operation that waited.
  mutating func end() -> (isAsked: Bool, operation: OperationID?) {
    defer { (dialog, operation) = (.none, nil) }
    return (question != nil, operation)
  }

  /// The link is to be encrypted with the key of the bond.
  mutating func beginEncryption() { bondKey = .encrypting }

  /// Returns whether the link is encrypted with the key of the bond.
  ///
  /// - Parameter bond: nil where it has been removed since.
  mutating func encrypted(_ bond: SecurityBond?) -> Bool {
    defer { if isEncrypting { bondKey = .idle } }
    level = (isEncrypting ? bond?.security : nil) ?? max(level, .encrypted)
    return isEncrypting
  }

  /// Returns whether the peer lacks the key of the bond.
  mutating func encryptionRefused() -> Bool {
    defer { bondKey = .missing }
    return isEncrypting
  }
}
