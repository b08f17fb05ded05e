import BleperaBluetooth
import BleperaHost
import BleperaHostRadio
import BleperaLoop
import BleperaRadio
import Testing

@testable import BleperaAir

@Suite("Questions about pairings to the phone's user")
struct PairingQuestionTests {
  // MARK: As the peripheral

  private static let capabilities: [(PairingCapability, [String])] = [
    (.displayYesNo, ["central 1 asks to compare"]), (.keyboardDisplay, ["central 1 asks to compare"]),
    (.keyboardOnly, ["passkey for 1", "1 bonded, true"]),
    (.displayOnly, ["1 refused: the central cannot compare the number that the phone shows"]),
    (.noInputNoOutput, ["1 refused: the central cannot compare the number that the phone shows"]),
  ]

  private static func stage(_ capability: PairingCapability = .displayYesNo, _ mode: PairingMode) -> PhoneStage {
    let stage = PhoneStage(pairing: mode)
    stage.run(.host(stage.centrals[0].adapter, .capability(capability)))
    stage.begin(.read)
    stage.pair(1)
    stage.wait(.milliseconds(5))
    return stage
  }

  @Test("A phone that compares asks about a central that can compare, and about no other", arguments: capabilities)
  func centrals(capability: PairingCapability, events: [String]) {
    #expect(Self.stage(capability, .compare).takeEvents() == events)
  }

  @Test("In no other mode the user is asked", arguments: [PairingMode.justWorks, .refuse, .passkey])
  func otherModes(mode: PairingMode) {
    let stage = Self.stage(mode)
    #expect(!stage.takeEvents().contains { $0.contains("asks") })
    #expect(stage.phone { $0.pairingQuestions } == [])
  }

  private static func stage(_ mode: PairingMode) -> PhoneStage { stage(.displayYesNo, mode) }

  @Test(
    "The answer ends the question, and comes early enough until 30 s have passed",
    arguments: [
      (PairingResponse.yes, Duration.zero, true), (.yes, .seconds(29), true), (.no, .zero, false),
      (.no, .seconds(29), false), (.yes, .seconds(31), false),
    ])
  func answer(response: PairingResponse, delay: Duration, isBonded: Bool) throws {
    let stage = Self.stage(.compare)
    _ = stage.takeEvents()
    let question = try #require(stage.phone { $0.pairingQuestions }.first)
    #expect(question.address == PhoneStage.first.rawValue && question.isCentral)
    #expect(question.accepts(response) && !question.accepts(.passkey(123_456)))
    stage.wait(delay)
    #expect(stage.phone { $0.pairingQuestions }.isEmpty == (delay > .seconds(30)))
    stage.phone { $0.answerPairing(question, response) }
    stage.wait(.milliseconds(10))
    let events = stage.takeEvents()
    #expect(events.contains("1 bonded, true") == isBonded)
    #expect(events.contains { $0.hasPrefix("1 disconnected") } == (delay > .seconds(30)))
    #expect(stage.phone { $0.pairingQuestions } == [])
    #expect(stage.takeResults().count == 1)
  }

  // MARK: As the central

  /// A phone that reads a value for which it has to pair.
  private static func reading(_ peer: PairingMode, hidesDisplays: Bool) -> CentralStage {
    var conditions = AirConditions(interval: .zero)
    conditions.hidesDisplays = hidesDisplays
    let stage = CentralStage(PhoneStage(pairing: peer, conditions: conditions), pairing: .compare)
    stage.stage.phone { $0.publish([PhoneStage.service([.read], permissions: [.readEncryptionRequired])]) }
    stage.connect()
    _ = stage.perform(.read(0x102))
    return stage
  }

  private static func questions(_ stage: CentralStage) -> [PairingQuestion] {
    stage.stage.loop.perform { stage.radio.assumeIsolated { $0.pairingQuestions } }
  }

  @Test("A passkey that the radio reads on the peripheral's display is no question")
  func readPasskey() {
    let stage = Self.reading(.passkey, hidesDisplays: false)
    #expect(Self.questions(stage) == [])
    #expect(stage.bond(with: PhoneStage.phone)?.isAuthenticated == true)
  }

  @Test(
    "The user types the passkey that the peripheral shows, right or wrong, until 30 s have passed",
    arguments: [(UInt32(0), Duration.zero, true), (0, .seconds(29), true), (1, .zero, false), (0, .seconds(31), false)])
  func type(error: UInt32, delay: Duration, isBonded: Bool) throws {
    let stage = Self.reading(.passkey, hidesDisplays: true)
    let question = try #require(Self.questions(stage).first)
    #expect(question.request == .type && question.address == CentralStage.peer.rawValue && !question.isCentral)
    #expect(question.accepts(.no) && !question.accepts(.yes))
    let shown = stage.stage.loop.perform {
      stage.stage.air.assumeIsolated { $0.air.hosts[AdapterID(0)]?.links.values.first?.passkey }
    }
    let passkey = try #require(shown) ^ error
    stage.wait(delay)
    stage.phone { $0.answerPairing(question, .passkey(passkey)) }
    stage.wait(.milliseconds(10))
    #expect(stage.bond(with: PhoneStage.phone)?.isAuthenticated == (isBonded ? true : nil))
    #expect(Self.questions(stage) == [])
  }

  @Test("Two phones that compare ask both users, about the same number", arguments: [true, false], [true, false])
  func compare(accepts: Bool, peerAccepts: Bool) throws {
    let stage = Self.reading(.compare, hidesDisplays: false)
    let question = try #require(Self.questions(stage).first)
    let other = try #require(stage.stage.phone { $0.pairingQuestions }.first)
    #expect(question.request == other.request && !question.isCentral && other.isCentral)
    stage.phone { $0.answerPairing(question, accepts ? .yes : .no) }
    stage.stage.phone { $0.answerPairing(other, peerAccepts ? .yes : .no) }
    stage.wait(.milliseconds(10))
    #expect((stage.bond(with: PhoneStage.phone) != nil) == (accepts && peerAccepts))
  }
}
