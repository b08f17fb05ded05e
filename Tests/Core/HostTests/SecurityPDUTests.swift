import BleperaBluetooth
import Testing

@testable import BleperaHost

@Suite("The PDUs of the Security Manager, of Vol 3, Part H, 3.5 and 3.6")
struct SecurityPDUTests {
  private static let value: UInt128 = 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF
  private static let reversed = "FFEEDDCCBBAA99887766554433221100"
  private static let key = IdentityResolvingKey((0..<16).map { UInt8($0 * 0x11) })
  private static let features = PairingFeatures(
    capability: .keyboardDisplay, requirements: [.bonding, .authentication, .secureConnections], keySize: 16,
    initiatorKeys: [.encryption, .identity], responderKeys: [.identity])

  static let samples: [(SecurityPDU, String)] = [
    (.pairingRequest(features), "0104000D100302"), (.pairingResponse(features), "0204000D100302"),
    (.confirm(value), "03" + reversed), (.random(value), "04" + reversed), (.failed(.pairingNotSupported), "0505"),
    (.failed(SecurityFailure(rawValue: 0x10)), "0510"), (.encryptionInformation(value), "06" + reversed),
    (.centralIdentification(diversifier: 0x0102, random: 0x0304_0506_0708_090A), "0702010A09080706050403"),
    (.identityInformation(key!), "08" + reversed),
    (.identityAddress(SecurityAddress(bits: 0xC0AA_015C_0391, isRandom: true)), "090191035C01AAC0"),
    (.identityAddress(SecurityAddress(bits: 0x00AA_015C_0391, isRandom: false)), "090091035C01AA00"),
    (.signingInformation(value), "0A" + reversed), (.securityRequest([.bonding, .authentication]), "0B05"),
    (.keyCheck(value), "0D" + reversed), (.keypress(4), "0E04"),
    (
      .publicKey(P256PublicKey(x: (0..<32).map { $0 }, y: (32..<64).map { $0 })),
      "0C" + Hex.string((0..<32).reversed()) + Hex.string((32..<64).reversed())
    ),
  ]

  @Test("A PDU is written as the specification has it, and read again", arguments: samples)
  func reading(pdu: SecurityPDU, hex: String) throws {
    #expect(Hex.string(pdu.bytes) == hex)
    #expect(try SecurityPDU(pdu.bytes) == pdu)
  }

  @Test("There is a sample of every code")
  func codes() {
    #expect(Set(Self.samples.map { $0.0.bytes[0] }) == Set(1...14))
  }

  @Test("A PDU that is cut, or has one byte more, has invalid parameters", arguments: samples)
  func lengths(pdu: SecurityPDU, _: String) {
    for bytes in (1..<pdu.bytes.count).map({ Array(pdu.bytes.prefix($0)) }) + [pdu.bytes + [0]] {
      #expect(throws: SecurityFailure.invalidParameters) { try SecurityPDU(bytes) }
    }
  }

  static let refused: [(String, SecurityFailure)] = [
    ("", .invalidParameters), ("00", .commandNotSupported), ("0F00", .commandNotSupported),
    ("FF", .commandNotSupported),
    // A capability, an OOB flag and key sizes that do not exist; a type of address.
    ("0105000D100302", .invalidParameters), ("0104020D100302", .invalidParameters),
    ("0104000D060302", .invalidParameters), ("0204000D110302", .invalidParameters),
    ("090291035C01AAC0", .invalidParameters),
  ]

  @Test("What is no PDU has a reason", arguments: refused)
  func refusing(hex: String, reason: SecurityFailure) {
    #expect(throws: reason) { try SecurityPDU(Hex.bytes(hex) ?? [0]) }
  }

  @Test("Bits without a name are kept, for the confirm value is of all")
  func unnamedBits() throws {
    let bytes: [UInt8] = [0x01, 0x03, 0x01, 0xFF, 7, 0xFF, 0xF0]
    #expect(try SecurityPDU(bytes).bytes == bytes)
  }
}
