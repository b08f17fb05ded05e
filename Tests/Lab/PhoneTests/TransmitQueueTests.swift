import BleperaAppLink
import BleperaBluetooth
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("Updates wait for the connection events of their centrals (R13)", .timeLimit(.minutes(5)))
struct TransmitQueueTests {
  private let first = CentralID(rawValue: "A")
  private let second = CentralID(rawValue: "B")

  @Test("Each central has its own room")
  func centrals() {
    var queue = TransmitQueue()
    for _ in 1...3 { queue.add(to: [first]) }
    queue.add(to: [second])
    var rooms = [queue.hasRoom(for: [first, second], limit: 4)]
    queue.add(to: [first])
    rooms.append(queue.hasRoom(for: [first, second], limit: 4))
    rooms.append(queue.hasRoom(for: [second], limit: 4))
    rooms.append(queue.hasRoom(for: [first], limit: 5))
    rooms.append(queue.hasRoom(limit: 4))
    #expect(rooms == [true, false, true, true, false])
  }

  @Test("At a connection event those leave that the link carries")
  func events() {
    var queue = TransmitQueue()
    for _ in 1...3 { queue.add(to: [first, second]) }
    queue.drain { $0 == first ? 2 : 0 }
    var rooms = [queue.hasRoom(for: [first], limit: 2), queue.hasRoom(for: [second], limit: 1)]
    queue.drain { _ in .max }
    rooms.append(queue.hasRoom(for: [first], limit: 2))
    queue.drain { _ in 0 }
    #expect(rooms == [false, true, false])
    #expect(queue.isEmpty)
  }

  @Test("Whatever the order of updates to some and to all, each central's are counted", arguments: 1...20)
  func anyOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var queue = TransmitQueue()
    var counts: [CentralID: Int] = [:]
    let lists: [[CentralID]] = [[], [first], [second], [first, second], [second, first]]
    for _ in 0..<200 {
      let list = lists.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        queue.add(to: list)
        for central in list { counts[central, default: 0] += 1 }
      }
      let asked = lists.randomElement(using: &random) ?? []
      let limit = Int.random(in: 1...12, using: &random)
      let rooms = [queue.hasRoom(for: asked, limit: limit), queue.hasRoom(limit: limit)]
      #expect(rooms == [asked.allSatisfy { counts[$0, default: 0] < limit }, counts.values.allSatisfy { $0 < limit }])
      if Int.random(in: 0..<4, using: &random) == 0 {
        queue.drain { _ in 1 }
        counts = counts.mapValues { min($0, 1) }
      }
      #expect(queue.isEmpty == counts.isEmpty)
    }
  }

  /// Expects that so many of ten updates in a row are queued.
  private func expect(
    _ count: Int, _ overrides: RuleOverrides = RuleOverrides(), to centrals: [CentralID]? = nil
  ) async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let identity = AppIdentity(
        bundleIdentifier: "org.example.test", name: "test", backgroundModes: ["bluetooth-peripheral"],
        rules: overrides)
      let app = TestApp(phone.system, identity)
      try await app.publish()
      try await phone.radio.connect()
      try await phone.radio.subscribe(to: TestApp.measurementUUID)
      _ = try await app.messages.first { if case .peripheral(_, .didSubscribe) = $0 { true } else { nil } }
      for number in UInt8(1)...10 {
        app.send(.updateValue(TestApp.measurement, value: [number], centrals: centrals))
      }
      var answers: [Bool] = []
      while answers.count < 10 {
        answers.append(
          try await app.messages.first {
            if case .peripheral(_, .didUpdateValue(_, let queued, nil)) = $0 { queued } else { nil }
          })
      }
      if answers.contains(false) {
        try await app.messages.first { $0 == .callback(.isReadyToUpdateSubscribers) ? true : nil }
        app.send(.updateValue(TestApp.measurement, value: [11], centrals: centrals))
        let isQueued = try await app.messages.first {
          if case .peripheral(_, .didUpdateValue(_, let queued, nil)) = $0 { queued } else { nil }
        }
        #expect(isQueued)
      }
      #expect(answers == answers.sorted { $0 && !$1 })
      #expect(answers.count { $0 } == count)
    }
  }

  @Test("Four updates in a row are queued; the next after isReadyToUpdateSubscribers")
  func four() async throws { try await expect(4) }

  @Test("A profile changes the number")
  func overridden() async throws {
    try await expect(1, RuleOverrides(transmitQueue: 1))
    try await expect(10, RuleOverrides(transmitQueue: 10))
  }

  @Test("An update that nobody receives takes no room")
  func nobody() async throws {
    try await expect(10, to: [CentralID(rawValue: "11:22:33:44:55:66")])
  }
}
