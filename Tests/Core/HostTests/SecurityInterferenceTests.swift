import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("Pairings in which one PDU does not arrive as it was sent")
struct SecurityInterferenceTests {
  /// The fault of a PDU on its way.
  enum Fault: CaseIterable {
    case lost, repeated, cut, extended, otherBit, random, failure

    func replacements(_ bytes: [UInt8], using random: inout SplitMix64) -> [[UInt8]] {
      switch self {
      case .lost: []
      case .repeated: [bytes, bytes]
      case .cut: [Array(bytes.dropLast())]
      case .extended: [bytes + [0]]
      case .otherBit: [bytes.dropLast() + [bytes[bytes.count - 1] ^ 1]]
      case .random:
        [
          SecurityPDUTests.samples.randomElement(using: &random).map { pdu, _ in
            [pdu.bytes[0]] + pdu.bytes.dropFirst().map { _ in UInt8.random(in: 0...16, using: &random) }
          } ?? []
        ]
      case .failure: [[0x05, 0x08]]
      }
    }
  }

  @Test("Both sides end, and never with different keys", arguments: SecurityManagerTests.pairings)
  func faults(initiator: PairingCapability, responder: PairingCapability, isSecure: Bool) {
    var random = SplitMix64(seed: 7)
    var pair = SecurityPair(
      SecurityManagerTests.settings(initiator, isSecure: isSecure, identity: 1),
      SecurityManagerTests.settings(responder, identity: 2))
    pair.start()
    var position = 0
    while !pair.underWay.isEmpty || pair.userResponds() {
      guard let bytes = pair.underWay.first?.bytes else { continue }
      position += 1
      // The rounds of a passkey between the first and the last are left out.
      for fault in Fault.allCases where !(13...75).contains(position) {
        var copy = pair
        copy.deliver(fault.replacements(bytes, using: &random))
        copy.run()
        Self.check(copy, "\(fault) \(Hex.string(bytes))")
        if fault == .failure {
          #expect(copy.initiator.bond == nil || copy.responder.bond == nil)
        }
      }
      pair.deliver()
    }
    #expect(pair.initiator.bond != nil && pair.responder.bond != nil)
  }

  private static func check(_ pair: SecurityPair, _ fault: String) {
    for side in [pair.initiator, pair.responder] {
      #expect(!side.manager.isPairing && !side.hasTimer, "\(fault)")
      let ends = [side.bond != nil, side.failure != nil, side.isTimedOut].count { $0 }
      // A responder that has received no request has nothing to end.
      #expect(ends == 1 || (ends == 0 && side.sent.allSatisfy { $0[0] == 0x05 }), "\(fault)")
    }
    guard let bonds = pair.initiator.bond.flatMap({ first in pair.responder.bond.map { (first, $0) } }) else { return }
    #expect(pair.isEncrypted, "\(fault)")
    guard bonds.0.isSecureConnections else { return }
    #expect(bonds.0.asCentral == bonds.1.asPeripheral, "\(fault)")
  }
}
