import BleperaBluetooth
import Testing

@testable import BleperaHost

/// Recorded from pairings with the Security Manager of Bumble 0.0.236, which accepted each value and had the same keys.
@Suite("Whole pairings with another host")
struct SecurityTranscriptTests {
  struct Transcript: Sendable {
    let role: SecurityManager.Role
    let capability: PairingCapability
    let seed: UInt64
    let question: PairingRequest
    let response: PairingResponse
    /// Bytes after `<` were received, after `>` sent.
    let pdus: [String]
    /// The keys in the byte order on the air.
    let keys: (asCentral: String, asPeripheral: String)
  }

  private static let legacyPasskey = Transcript(
    role: .initiator, capability: .keyboardOnly, seed: 11, question: .type, response: .passkey(207_358),
    pdus: [
      ">0102000D100303",
      "<02000005100303",
      ">03EC8D4B23D1C2576FC3DDDA427B609F9A",
      "<035F515C52D4A1A721BF2BE5C25155EBFE",
      ">049D3080237D64F550A1136B7AD25C2A43",
      "<04636AE03A49C544210EC39BDF6429B78A",
      "<0653AF50C5742EEE9A1EBBF982B139C6EB",
      "<0700000000000000000000",
      "<08101112131415161718191A1B1C1D1E1F",
      "<0901F5F4F3F2F1F0",
      ">066D129B6E30BE56A3F06D2E2799622E81",
      ">070E58C45904751A0F4A2A",
      ">08100F0E0D0C0B0A090807060504030201",
      ">090091035C01AA00",
    ], keys: ("53AF50C5742EEE9A1EBBF982B139C6EB", "6D129B6E30BE56A3F06D2E2799622E81"))

  private static let numericComparison = Transcript(
    role: .responder, capability: .keyboardDisplay, seed: 12, question: .compare(192_938), response: .yes,
    pdus: [
      "<0101000D100303",
      ">0204000D100202",
      "<0CF520670219D32A75DE516E9E0941527664230828AF6755E3445EFDE3C68D3FCE"
        + "7E9F1FF7011077F18E67FA7ECB96FFAFC8652C54FFCF8011030A9625B090B3AF",
      ">0CC9BFCF2E76EDE3FD00EC435B85C9FAE592BB4A9C5CD1BA201007EB019F4FAFBD"
        + "FCCC0232EAA5E45C6672C4721170629BDE30B2E5395E8D1D1627EEDEBF51D095",
      ">037C71F223050C3C05484289C8A00B84B7",
      "<04C2B0692909CA5FAF26DF10299D62569D",
      ">04FC0B7FC2A679784661643C37B73FC3BC",
      "<0D38AF368F043DE52C1B3971D8EBDDF65B",
      ">0D9700EB77DCE953A69B11FE0EBB00DDEF",
      ">08100F0E0D0C0B0A090807060504030201",
      ">090091035C01AA00",
      "<08101112131415161718191A1B1C1D1E1F",
      "<0901F5F4F3F2F1F0",
    ], keys: ("DF1283FF3D4FAAD2EC0858305D318EB0", "DF1283FF3D4FAAD2EC0858305D318EB0"))

  @Test("The same PDUs are sent again, and the same bond results", arguments: [legacyPasskey, numericComparison])
  func replaying(transcript: Transcript) throws {
    var settings = SecurityManagerTests.settings(transcript.capability)
    settings.identity = SecurityIdentity(
      address: SecurityAddress(bits: 0x00AA_015C_0391, isRandom: false), key: IdentityResolvingKey(Array(1...16)))
    var manager = SecurityManager(
      role: transcript.role, own: SecurityAddress(bits: 0x5A01_0203_0405, isRandom: true),
      peer: SecurityAddress(bits: 0xC0B1_B2B3_B4B5, isRandom: true), settings: settings,
      random: .seeded(SplitMix64(seed: transcript.seed)))
    var (sent, bond): ([String], SecurityBond?) = ([], nil)

    func perform(_ actions: [SecurityAction]) {
      for action in actions {
        switch action {
        case .send(let bytes): sent.append(">" + Hex.string(bytes))
        case .encrypt: perform(manager.encryptionChanged(isEncrypted: true))
        case .ask(let question):
          #expect(question == transcript.question)
          perform(manager.respond(transcript.response))
        case .paired(let new): bond = new
        case .startTimer, .stopTimer, .requested, .failed, .timedOut: break
        }
      }
      if manager.key(random: 0, diversifier: 0) != nil { perform(manager.encryptionChanged(isEncrypted: true)) }
    }

    if transcript.role == .initiator { perform(manager.start()) }
    for pdu in transcript.pdus where pdu.hasPrefix("<") {
      perform(manager.receive(try #require(Hex.bytes(String(pdu.dropFirst())))))
    }
    #expect(sent == transcript.pdus.filter { $0.hasPrefix(">") })
    let keys = try #require(bond)
    #expect(keys.asCentral.map { Hex.string(LittleEndian.bytes($0.value)) } == transcript.keys.asCentral)
    #expect(keys.asPeripheral.map { Hex.string(LittleEndian.bytes($0.value)) } == transcript.keys.asPeripheral)
    #expect(
      keys.identity
        == SecurityIdentity(
          address: SecurityAddress(bits: 0xF0F1_F2F3_F4F5, isRandom: true),
          key: IdentityResolvingKey((0x10...0x1F).reversed())))
  }
}
