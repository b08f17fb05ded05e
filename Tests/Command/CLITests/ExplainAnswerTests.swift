import BleperaBluetooth
import BleperaRules
import Testing

@testable import BleperaCLI
@testable import BleperaProfile

/// Who answers a central.
@Suite struct ExplainAnswerTests {
  private static func profile(hasMode: Bool) -> Profile {
    let cached = CharacteristicDefinition(
      uuid: BluetoothUUID(0x2A38 as UInt16), properties: .read, permissions: .readable, value: [1])
    let dynamic = CharacteristicDefinition(
      uuid: BluetoothUUID(0x2A39 as UInt16), properties: [.read, .write, .notify], permissions: [.readable, .writeable])
    return Profile(
      backgroundModes: hasMode ? [Profile.peripheralBackgroundMode] : [],
      services: [
        Profile.Service(
          uuid: BluetoothUUID(0x180D as UInt16), characteristics: [cached, dynamic].map { .init(definition: $0) })
      ])
  }

  private static let woken = CentralResponse.Outcome.woken(.seconds(10))
  private static let refused = CentralResponse.Outcome.error(.unlikelyError)

  private static let answers: [(Bool, ExplainedState, [CentralResponse.Outcome], [RuleID?])] = [
    (true, .foreground, [.system, .app, .app, .app], [.r10, nil, nil, nil]),
    (false, .foreground, [.system, .app, .app, .app], [.r10, nil, nil, nil]),
    (true, .background, [.system, .app, .app, .app], [.r10, nil, nil, nil]),
    (false, .background, [.system, refused, refused, .app], [.r10, .r4, .r4, nil]),
    (true, .suspended, [.system, woken, woken, woken], [.r10, .r5, .r5, .r5]),
    (false, .suspended, [.system, refused, refused, .queued], [.r10, .r4, .r4, .r4]),
  ]

  @Test(arguments: answers)
  func `the mode and the state decide who answers`(
    hasMode: Bool, state: ExplainedState, outcomes: [CentralResponse.Outcome], rules: [RuleID?]
  ) throws {
    let app = try #require(ExplainSample.state(state, [Self.profile(hasMode: hasMode)]).responses.first)
    #expect(app.responses.map(\.request) == CentralRequest.allCases)
    #expect(app.responses.map(\.outcome) == outcomes)
    #expect(app.responses.map(\.rule) == rules)
    #expect(app.isRunning == (state != .suspended))
  }

  @Test(arguments: [(true, Duration.seconds(10)), (false, .seconds(5))])
  func `in the background an app runs for a time, and then answers as a suspended one`(
    hasMode: Bool, time: Duration
  ) throws {
    let profile = Self.profile(hasMode: hasMode)
    let background = try #require(ExplainSample.state(.background, [profile]).responses.first)
    let suspended = try #require(ExplainSample.state(.suspended, [profile]).responses.first)
    #expect(background.timeLeft == time)
    #expect(background.laterResponses == suspended.responses)
    #expect(suspended.timeLeft == nil && suspended.laterResponses == nil)
    #expect(ExplainSample.state(.foreground, [profile]).responses.map(\.timeLeft) == [nil])
  }

  @Test(
    arguments: [
      ("smart-lock", ExplainedState.foreground, "writes         the app, after pairing"),
      ("slow-lock", .foreground, "writes         the app, after 20 s"),
      ("slow-lock", .background, "writes         refused: 0x0E unlikelyError, after 10 s (R6)"),
      ("slow-lock", .suspended, "writes         refused: 0x0E unlikelyError, after 10 s (R6)"),
      ("heart-rate", .foreground, "subscriptions  the app"),
    ])
  func `pairing and a slow app are said`(name: String, state: ExplainedState, line: String) throws {
    let explanation = try ExplainSample.explanation("profiles/\(name).plist --state \(state.rawValue)")
    #expect(explanation.lines(for: .plain).contains(line))
  }

  @Test func `what bluetoothd makes of a slow app is said`() throws {
    let lines = try ExplainSample.explanation("profiles/slow-lock.plist").lines(for: .plain)
    #expect(
      lines.contains(
        "slow        writes are answered after 20 s; over BlueZ centrals get 0x0E unlikelyError after 4.5 s"))
  }

  @Test(
    arguments: [
      ("heart-rate", [.readCached, .subscribe]), ("smart-lock", [.read, .write, .subscribe]),
      ("five-services", CentralRequest.allCases),
    ] as [(String, [CentralRequest])])
  func `only what a central can ask for is there`(name: String, requests: [CentralRequest]) throws {
    let explanation = try ExplainSample.explanation("profiles/\(name).plist --state foreground")
    #expect(explanation.apps.map(\.requests) == [requests])
  }
}
