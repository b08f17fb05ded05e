import BleperaBluetooth
import BleperaHost

extension FuzzTarget {
  /// Two Security Managers that pair with each other. An input has the settings of each, and changes of the PDUs on
  /// their way. After the input, all PDUs arrive, and each user agrees.
  static let smp = FuzzTarget("smp") { bytes in
    var input = ByteReader(bytes)
    var session = SMPSession(&input)
    while !input.isAtEnd { session.play(&input) }
    session.end()
  }
}

private struct SMPSession {
  private struct Side {
    var manager: SecurityManager
    var question: PairingRequest?
    var bond: SecurityBond?
    var isTimed = false
  }

  private static let addresses = [
    SecurityAddress(bits: 0x5A01_0203_0405, isRandom: true), SecurityAddress(bits: 0x00AA_0100_0000, isRandom: false),
  ]

  /// The initiator and the responder.
  private var sides: [Side]
  private var underWay: [(receiver: Int, bytes: [UInt8])] = []
  private var passkey: UInt32 = 0

  init(_ input: inout ByteReader) {
    let roles: [SecurityManager.Role] = [.initiator, .responder]
    sides = roles.indices.map { index in
      Side(
        manager: SecurityManager(
          role: roles[index], own: Self.addresses[index], peer: Self.addresses[1 - index],
          settings: SecuritySettings(&input), random: .seeded(SplitMix64(seed: UInt64(index)))))
    }
    perform(sides[0].manager.start(), 0)
  }

  mutating func play(_ input: inout ByteReader) {
    let kind = input.byte()
    let index = Int(kind >> 7)
    switch kind & 0x0F {
    case 0: deliver(dropped: true)
    case 1: underWay.first.map { underWay.insert($0, at: 0) }
    case 2:
      let (place, mask) = (Int(input.byte()), input.byte())
      if let count = underWay.first?.bytes.count, count > 0 { underWay[0].bytes[place % count] ^= mask }
    case 3: if underWay.count > 1 { underWay.swapAt(0, 1) }
    case 4: perform(sides[index].manager.receive(input.list()), index)
    case 5: respond(index, kind & 0x40 == 0 ? .no : .passkey(UInt32(input.byte()) << 12))
    case 6: respond(index)
    case 7: perform(sides[index].manager.timeOut(), index)
    case 8: perform(sides[index].manager.start(), index)
    case 9: perform(sides[index].manager.encryptionChanged(isEncrypted: kind & 0x40 != 0), index)
    default: deliver()
    }
  }

  mutating func end() {
    while !underWay.isEmpty || sides.contains(where: { $0.question != nil }) {
      if underWay.isEmpty { for index in sides.indices { respond(index) } } else { deliver() }
    }
    for index in sides.indices {
      require(sides[index].isTimed || !sides[index].manager.isPairing, "a pairing has a time limit")
      perform(sides[index].manager.timeOut(), index)
      require(!sides[index].manager.isPairing, "the time limit ends a pairing")
    }
  }

  private mutating func deliver(dropped: Bool = false) {
    guard !underWay.isEmpty else { return }
    let (index, bytes) = underWay.removeFirst()
    if !dropped { perform(sides[index].manager.receive(bytes), index) }
  }

  /// Answers the question of a side.
  private mutating func respond(_ index: Int) {
    switch sides[index].question {
    case .type: respond(index, .passkey(passkey))
    case .authorize, .compare, .show: respond(index, .yes)
    case nil: break
    }
  }

  private mutating func respond(_ index: Int, _ response: PairingResponse) {
    sides[index].question = nil
    perform(sides[index].manager.respond(response), index)
  }

  private mutating func perform(_ actions: [SecurityAction], _ index: Int) {
    for action in actions {
      switch action {
      case .send(let bytes):
        require((try? SecurityPDU(bytes))?.bytes == bytes, "what is sent is a PDU")
        underWay.append((1 - index, bytes))
      case .encrypt(let key, let random, let diversifier):
        let isEncrypted = sides[1].manager.key(random: random, diversifier: diversifier) == key
        for index in [1, 0] { perform(sides[index].manager.encryptionChanged(isEncrypted: isEncrypted), index) }
      case .ask(.show(let shown)): passkey = shown
      case .ask(let question): sides[index].question = question
      case .startTimer: sides[index].isTimed = true
      case .stopTimer: sides[index].isTimed = false
      case .paired(let bond): check(bond, index)
      case .timedOut, .failed, .requested: break
      }
    }
  }

  private mutating func check(_ bond: SecurityBond, _ index: Int) {
    sides[index].bond = bond
    require(bond.keySize >= 7 && bond.keySize <= 16, "a key has 7 to 16 bytes")
    for key in [bond.asCentral, bond.asPeripheral] where bond.isSecureConnections {
      require(key.map { $0.value >> UInt128(8 * bond.keySize) == 0 } == true, "a key is as long as agreed")
    }
  }
}

extension SecuritySettings {
  fileprivate init(_ input: inout ByteReader) {
    self.init()
    let (kind, options) = (input.byte(), input.byte())
    capability = PairingCapability.allCases[Int(kind & 0x07) % PairingCapability.allCases.count]
    requirements = SecurityRequirements(rawValue: kind >> 3)
      .intersection([.bonding, .authentication, .secureConnections])
    demands = SecurityRequirements(rawValue: options).intersection(requirements).subtracting(.bonding)
    keySizes = 7...(7 + Int(options >> 4) % 10)
    authorizes = options & 0x02 != 0
    if options & 0x01 != 0 {
      identity = SecurityIdentity(
        address: SecurityAddress(bits: 0x00AA_015C_0391, isRandom: false),
        key: IdentityResolvingKey(Array(repeating: kind, count: 16)))
    }
  }
}
