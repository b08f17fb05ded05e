import BleperaAppLink
import BleperaBlueZ
import BleperaBluetooth
import BleperaPreservation
import BleperaRadio
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("Apps see an interruption of the radio as power off and on", .timeLimit(.minutes(5)))
struct OutageTests {
  enum Outage: CaseIterable {
    /// bluetoothd is stopped and started.
    case daemon
    /// The adapter is pulled out and put back.
    case adapter

    func set(_ isThere: Bool, _ radio: any TestedRadio) async throws {
      switch self {
      case .daemon: try await radio.runDaemon(isThere)
      case .adapter: await radio.plug(isThere)
      }
    }

    /// The events until the radio is away, without the advertisement: bluetoothd releases it while it ends.
    func events(on radio: RadioKind) -> [String] {
      switch (self, radio) {
      // bluetoothd powers its adapters off before it ends.
      case (.daemon, .bus): ["unsubscribed", "disconnected", "poweredOff(hci0)", "noDaemon"]
      case (.daemon, .simulated): ["unsubscribed", "disconnected", "noDaemon"]
      // bluetoothd powers the adapter off before it loses it.
      case (.adapter, .bus): ["unsubscribed", "disconnected", "poweredOff(hci0)", "noAdapter(hci0)"]
      case (.adapter, .simulated): ["unsubscribed", "disconnected", "noAdapter(hci0)"]
      }
    }
  }

  @Test(
    "The app receives the same callbacks, and the same services and advertisement are published again",
    arguments: Outage.allCases,
    RadioKind.allCases)
  func outage(_ outage: Outage, on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      try await phone.radio.connect()
      try await phone.radio.subscribe(to: TestApp.measurementUUID)
      let central = try await app.messages.first {
        if case .peripheral(_, .didSubscribe(let central, _)) = $0 { central } else { nil }
      }
      let handles = try #require(try phone.saved.first?.services.first?.handles)
      _ = try await phone.events.first { if case .subscribed = $0 { true } else { nil } }

      try await outage.set(false, phone.radio)
      #expect(
        try await app.messages.next(2) == [
          .callback(.didUnsubscribe(central, from: TestApp.measurement)), .callback(.didUpdateState(.poweredOff)),
        ])
      var seen: [String] = []
      while seen.count < outage.events(on: radio).count {
        let kind = try await phone.events.next().kind
        if !kind.hasPrefix("advertising") { seen.append(kind) }
      }
      #expect(seen == outage.events(on: radio))
      #expect(await phone.system.centrals.isEmpty)

      try await outage.set(true, phone.radio)
      #expect(try await app.messages.next() == .callback(.didUpdateState(.poweredOn)))
      try await phone.events.first { if case .radio(.poweredOn("hci0")) = $0 { true } else { nil } }
      try await phone.events.first { if case .published(_, handles) = $0 { true } else { nil } }
      try await phone.events.first { if case .advertising = $0 { true } else { nil } }
      try await phone.radio.connect()
      #expect(try await phone.radio.read(TestApp.cachedUUID) == [1])
      try await phone.radio.subscribe(to: TestApp.measurementUUID)
      _ = try await app.messages.first { if case .peripheral(_, .didSubscribe) = $0 { true } else { nil } }
      app.send(.updateValue(TestApp.measurement, value: [9], centrals: nil))
      #expect(try await phone.radio.value(of: TestApp.measurementUUID) == [9])
    }
  }
}

extension PhoneEvent {
  /// The kind of the event, in a word.
  fileprivate var kind: String {
    switch self {
    case .radio(.noDaemon): "noDaemon"
    case .radio(.noAdapter(let wanted, _)): "noAdapter(\(wanted ?? "any"))"
    case .radio(.poweredOff(let adapter)): "poweredOff(\(adapter))"
    default: "\("\(self)".prefix { $0 != "(" })"
    }
  }
}
