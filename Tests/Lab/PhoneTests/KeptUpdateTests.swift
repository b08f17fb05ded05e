import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import BleperaRadio
import BleperaRules
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("Updates that are kept for a restored subscriber")
struct KeptUpdateTests {
  private static let central = ScriptedRadio.central
  private static let subscription = RestoredSubscribers.Subscription(
    app: AppID(rawValue: 1), characteristic: TestApp.measurement, central: central.id)

  private static var restored: RestoredSubscribers {
    var restored = RestoredSubscribers()
    restored.add(
      [PreservedSubscriber(central: central.id, isBonded: true, characteristic: TestApp.measurement)],
      of: subscription.app)
    return restored
  }

  @Test(
    "They are cut to the length of the longest notification, so that they can be saved",
    arguments: [0, 512, 524, 525, 4000])
  func length(count: Int) {
    var restored = Self.restored
    let isKept = restored.keep(
      [UInt8](repeating: 7, count: count), of: Self.subscription.app, TestApp.measurement, for: nil)
    #expect(isKept)
    #expect(restored.preserved(of: Self.subscription.app).map { $0.updates.map(\.count) } == [[min(count, 524)]])
  }

  @Test("What follows while they are being sent is sent after them, and nothing twice")
  func resuming() {
    var restored = Self.restored
    let isBefore = restored.append([0], toResuming: Self.subscription)
    _ = restored.keep([1], of: Self.subscription.app, TestApp.measurement, for: nil)
    let hasUpdates = restored.resume(Self.subscription)
    #expect(restored.isEmpty && restored.isResuming)
    let isDuring = restored.append([2], toResuming: Self.subscription)
    let updates = restored.finishResuming(Self.subscription)
    let isAfter = restored.append([3], toResuming: Self.subscription)
    #expect((isBefore, isDuring, isAfter) == (false, true, false))
    #expect(hasUpdates == true)
    #expect(updates == [[1], [2]])
    let again = (restored.resume(Self.subscription), restored.finishResuming(Self.subscription))
    #expect(again.0 == nil && again.1.isEmpty && !restored.isResuming)
  }

  @Test("They go out before an update of the turn in which the central has subscribed again")
  func order() throws {
    let store = InMemoryPreservationStore()
    try ScriptedRadio.run(store: store) { phone, radio, _ in
      let app = TestApp(phone)
      try await app.publish()
      await radio.subscribe(Self.central, to: try phone.handle(of: TestApp.measurement))
      _ = try await app.messages.first { if case .peripheral(_, .didSubscribe) = $0 { true } else { nil } }
      try await phone.loop.sleep(for: .seconds(1))
    }
    try ScriptedRadio.run(store: store) { phone, radio, events in
      let app = TestApp(phone)
      try await app.messages.first { $0 == .didChangeState(.foreground) ? true : nil }
      for value in 1...2 as ClosedRange<UInt8> {
        app.send(.updateValue(TestApp.measurement, value: [value], centrals: nil))
        _ = try await app.messages.first {
          if case .peripheral(_, .didUpdateValue(_, true, _)) = $0 { true } else { nil }
        }
      }
      #expect(await radio.sent.isEmpty)
      try await phone.resume(Self.central, on: radio, then: [3])
      try await phone.loop.sleep(for: .seconds(1))
      app.send(.updateValue(TestApp.measurement, value: [4], centrals: nil))
      try await phone.loop.sleep(for: .seconds(1))
      #expect(await radio.sent == [[1], [2], [3], [4]])
      let notified = events.left.compactMap { if case .notified(_, _, let value) = $0 { value } else { nil } }
      #expect(notified == [[1], [2], [3], [4]])
    }
  }
}

extension EmulatedPhone {
  /// In one turn of the loop the central subscribes again, and the app sends an update.
  fileprivate func resume(_ central: RadioCentral, on radio: ScriptedRadio, then value: [UInt8]) throws {
    let handle = try handle(of: TestApp.measurement)
    radio.assumeIsolated { $0.subscribe(central, to: handle) }
    receive(
      .peripheral(TestApp.manager, .updateValue(TestApp.measurement, value: value, centrals: nil)),
      of: "org.example.test")
  }
}
