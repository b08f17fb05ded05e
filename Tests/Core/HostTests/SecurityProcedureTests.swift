import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("How a link is secured")
struct SecurityProcedureTests {
  private var link: SecurityProcedure

  init() {
    let manager = SecurityManager(
      role: .initiator, own: SecurityPair.initiatorAddress, peer: SecurityPair.responderAddress,
      settings: SecuritySettings(), random: .seeded(SplitMix64(seed: 1)))
    link = SecurityProcedure(manager)
  }

  private static func bond(isAuthenticated: Bool) -> SecurityBond {
    SecurityBond(
      asCentral: nil, asPeripheral: nil, keySize: 16, isAuthenticated: isAuthenticated, isSecureConnections: true)
  }

  @Test(
    "The level depends on the key, and falls with another key alone",
    arguments: [
      (nil, false, nil, .encrypted), (nil, true, nil, .encrypted), (true, false, nil, .authenticated),
      (nil, true, false, .encrypted), (nil, true, true, .authenticated), (nil, false, true, .encrypted),
      (true, true, false, .encrypted), (true, true, nil, .authenticated),
    ] as [(Bool?, Bool, Bool?, LinkSecurity)])
  func level(paired: Bool?, isOfBond: Bool, stored: Bool?, level: LinkSecurity) {
    var link = link
    #expect(link.level == .open)
    if let paired { link.paired(Self.bond(isAuthenticated: paired)) }
    if isOfBond { link.beginEncryption() }
    #expect(link.isEncrypting == isOfBond)
    let isEncryptedWithBond = link.encrypted(stored.map { Self.bond(isAuthenticated: $0) })
    #expect(isEncryptedWithBond == isOfBond)
    #expect(link.level == level && !link.isEncrypting && !link.isKeyMissing)
  }

  @Test("A peer without the key of the bond has none until the connection ends", arguments: [false, true])
  func missing(isOfBond: Bool) {
    var link = link
    if isOfBond { link.beginEncryption() }
    let isRefused = link.encryptionRefused()
    #expect(isRefused == isOfBond && link.isKeyMissing && !link.isEncrypting && link.level == .open)
    let isOfBond = link.encrypted(nil)
    #expect(!isOfBond && link.isKeyMissing && link.level == .encrypted)
  }

  @Test(
    "The user's part in a pairing ends with the answer or with the pairing",
    arguments: [
      (.show(7), nil, false, 7), (.show(7), .yes, false, 7), (.type, nil, true, nil), (.type, .passkey(7), false, nil),
      (.authorize, nil, true, nil), (.authorize, .no, false, nil), (.compare(7), .yes, false, nil),
    ] as [(PairingRequest, PairingResponse?, Bool, UInt32?)])
  func dialog(question: PairingRequest, answer: PairingResponse?, isAsked: Bool, passkey: UInt32?) {
    var link = link
    link.ask(question)
    if let answer { _ = link.respond(answer) }
    #expect(link.passkey == passkey)
    let ends = [link.end(), link.end()]
    #expect(ends.map(\.isAsked) == [isAsked, false] && link.passkey == nil)
  }

  @Test("One operation waits for a pairing, until it ends")
  func operation() {
    var link = link
    var begun = [link.begin(OperationID(1)), link.begin(OperationID(2))]
    #expect(link.isOverdue)
    _ = link.manager.start()
    #expect(!link.isOverdue)
    let ends = [link.end(), link.end()]
    #expect(ends.map(\.operation) == [OperationID(1), nil])
    // The pairing itself continues.
    begun.append(link.begin(OperationID(3)))
    let steps = [link.cancel(), link.cancel()]
    #expect(steps.map(\.isEmpty) == [false, true])
    begun.append(link.begin(OperationID(4)))
    #expect(begun == [true, false, false, true])
  }

  @Test("The timer that runs ends the pairing, and an earlier one does not")
  func timer() {
    var link = link
    _ = link.manager.start()
    link.timer = 2
    let early = link.timeOut(1)
    #expect(early.isEmpty && link.manager.isPairing)
    let steps = link.timeOut(2)
    #expect(!steps.isEmpty && !link.manager.isPairing)
  }
}
