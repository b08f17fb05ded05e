import BleperaAppLink
import BleperaBluetooth
import BleperaRules
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("A phone with a defect", .timeLimit(.minutes(5)))
struct CentralDefectTests {
  private static let connect = CentralCall.connect(RoleStage.id(), ConnectOptions())

  private static func stage(_ defects: Set<PhoneDefect>) -> RoleStage {
    var stage = RoleStage()
    stage.role.setDefects(defects, at: .zero)
    return stage
  }

  /// Writes without a response that many times; the reports that they have left the queue.
  private static func write(_ count: Int, _ stage: inout RoleStage) -> [String] {
    for _ in 0..<count { stage.ask(.writeValue(0x15, value: [1], withResponse: false)) }
    return stage.answerAll().filter { $0.contains("sent") }
  }

  static let reports: [(Set<PhoneDefect>, writes: Int, [String])] = [
    ([], 2, ["a sent 1", "a sent 1"]),
    ([.silentReady], 2, ["a sent 1 silently", "a sent 1 silently"]),
    ([.writeStall], 1, []),
    // The second write is made against the flag.
    ([.writeStall], 2, ["a sent 2"]),
    ([.writeStall], 5, ["a sent 2", "a sent 2"]),
    ([.writeStall, .silentReady], 2, ["a sent 2 silently"]),
  ]

  @Test(
    "reports its writes without response silently, or once the app has written against the flag", arguments: reports)
  func writes(defects: Set<PhoneDefect>, count: Int, reports: [String]) {
    var stage = Self.stage(defects)
    stage.explore()
    #expect(stage.role.description(of: RoleStage.id(), for: RoleStage.a)?.writePlaces == (defects.isEmpty ? 20 : 1))
    #expect(Self.write(count, &stage) == reports)
  }

  enum End: CaseIterable { case written, switchedOff, bluetoothOff }

  @Test("has its stall over a new connection, until something ends the stall", arguments: End.allCases)
  func stall(end: End) {
    var stage = Self.stage([.writeStall])
    func reconnect() -> String? {
      stage.call(.cancelPeripheralConnection(RoleStage.id()))
      stage.disconnect(.byPhone)
      stage.call(Self.connect)
      stage.connect()
      return stage.answerAll().first { $0.hasPrefix("a connected") }
    }
    stage.explore()
    #expect(Self.write(1, &stage) == [])
    for _ in 0..<2 { #expect(reconnect() == "a connected p1, cannot write") }
    switch end {
    case .written: #expect(Self.write(1, &stage) == ["a sent 2"])
    case .switchedOff:
      stage.role.setDefects([], at: .zero)
      #expect(stage.take() == ["a name -", "a sent 1"])
    case .bluetoothOff: stage.switchPower()
    }
    #expect(reconnect() == "a connected p1")
  }

  @Test("does not listen for the peripheral of an app in the background for 4 to 7,335 s", arguments: 0..<10)
  func gap(seed: UInt64) throws {
    var stage = Self.stage([.reconnectGap])
    stage.role.random = SplitMix64(seed: seed)
    stage.role.appChanged(RoleStage.a.app, AppPresence(isForeground: false), at: .zero)
    stage.call(Self.connect)
    #expect(stage.take() == [])
    let end = try #require(stage.role.deadline)
    #expect(end >= .seconds(4) && end <= .seconds(7335))
    stage.wait(end - .milliseconds(1))
    #expect(stage.take() == [])
    stage.wait(.milliseconds(1))
    #expect(stage.take() == ["connect [\"p1\"]"])
    #expect(stage.role.deadline == nil)
    // Another wait has another gap.
    stage.connect()
    stage.disconnect()
    stage.call(Self.connect)
    _ = stage.take()
    #expect(stage.role.deadline.map { $0 - end } != end)
  }

  @Test("listens for the peripheral of an app in the foreground, and once the defect is taken away")
  func noGap() {
    var stage = Self.stage([.reconnectGap])
    stage.call(Self.connect)
    #expect(stage.take() == ["connect [\"p1\"]"])
    for (isForeground, line) in [(false, "connect []"), (true, "connect [\"p1\"]"), (false, "connect []")] {
      stage.role.appChanged(RoleStage.a.app, AppPresence(isForeground: isForeground), at: .zero)
      #expect(stage.take() == [line])
    }
    stage.role.setDefects([], at: .zero)
    #expect(stage.take() == ["connect [\"p1\"]"])
  }

  private static func ask(_ phone: TestPhone, _ request: ControlRequest) async -> String? {
    await phone.system.perform(request).error
  }

  @Test("refuses the services of an app whose preserved state was removed, until the defect is taken away")
  func stuckIdentifier() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      func error(of app: TestApp) async throws -> String? {
        _ = try await app.messages.first {
          if case .peripheral(_, .didUpdateState(.poweredOn)) = $0 { true } else { nil }
        }
        app.send(.addService(ServiceID(rawValue: 0), TestApp.service))
        return try await app.messages.first { message -> String? in
          if case .peripheral(_, .didAddService(_, let error)) = message { error ?? "none" } else { nil }
        }
      }
      #expect(await Self.ask(phone, ControlRequest(.defect, defect: .restoreIdentifierStuck, isOn: true)) == nil)
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await Self.ask(phone, ControlRequest(.terminate)) == nil)
      try await phone.events.first { if case .preserved = $0 { true } else { nil } }
      #expect(await Self.ask(phone, ControlRequest(.forget)) == nil)
      let stuck = TestApp(phone.system)
      #expect(try await error(of: stuck) == "the restoration identifier is stuck: the phone has that defect")
      stuck.link.close()
      let other = TestApp(phone.system, TestApp.identity("other"), restores: "another")
      #expect(try await error(of: other) == "none")
      #expect(
        await Self.ask(phone, ControlRequest(.defect, defect: .restoreIdentifierStuck, isOn: false)) == nil)
      #expect(try await error(of: TestApp(phone.system, TestApp.identity("third"))) == "none")
    }
  }

  @Test(
    "has the defect in its status and its events, and nothing of it in its preserved state",
    arguments: RadioKind.allCases)
  func shown(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      #expect(await phone.system.status().defects == nil)
      for defect in PhoneDefect.allCases {
        let isRefused = PhoneDefect.ofLinkLayer.contains(defect) && radio == .bus
        let error = await Self.ask(phone, ControlRequest(.defect, defect: defect))
        #expect((error != nil) == isRefused)
        #expect(await phone.system.status().defects == (isRefused ? nil : [defect.rawValue]))
        let request = try await phone.events.first { event -> ControlRequest? in
          if case .asked(let request) = event, request.isOn == nil { request } else { nil }
        }
        #expect(request.defect == defect)
        #expect(await phone.system.defectEvents.count == (isRefused ? 0 : 1))
        #expect(await Self.ask(phone, ControlRequest(.defect, defect: defect, isOn: false)) == nil)
      }
      #expect(await Self.ask(phone, ControlRequest(.defect)) == "'defect' requires the name of a defect.")
      #expect(
        await Self.ask(phone, ControlRequest(.defect, app: "one", defect: .silentReady))?.contains("--app") == true)
      #expect(await Self.ask(phone, ControlRequest(.defect, defect: .writeStall)) == nil)
      let restarted = try await phone.restarted()
      #expect(await restarted.system.status().defects == nil)
      await restarted.system.shutDown()
    }
  }
}
