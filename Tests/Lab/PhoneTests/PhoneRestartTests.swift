import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BleperaPreservation
import BleperaRules
import BusTesting
import FoundationEssentials
import Testing

@testable import BleperaPhone

@Suite("What the user did outlives the phone's process", .timeLimit(.minutes(5)))
struct PhoneRestartTests {
  private static func state(_ phone: TestPhone) async -> (isLocked: Bool, app: AppState?) {
    let status = await phone.system.status()
    return (status.screenLocked, status.apps.first?.state)
  }

  @Test("A locked screen and a suspended app, whose process runs on", arguments: [1, 3])
  func lockedAndSuspended(restarts: Int) async throws {
    try await TestPhone.run(on: .simulated) { first in
      let app = TestApp(first.system)
      try await app.publish()
      #expect(await first.system.perform(ControlRequest(.suspend)).error == nil)
      #expect(await first.system.perform(ControlRequest(.lock)).error == nil)
      // Saved before the commands are answered.
      #expect(try first.store.load().state.screen == .locked)
      #expect(try first.saved.first?.execution?.isSuspended == true)
      var next = first
      for _ in 1...restarts { next = try await next.restarted() }
      let phone = next
      let since = try await phone.events.first { event -> Date? in
        if case .restored("org.example.test", [TestApp.uuid], 0, [], 0, true, let since) = event { since } else { nil }
      }
      #expect(since == (try phone.saved.first?.since))
      try await phone.events.first { if case .advertising = $0 { true } else { nil } }
      #expect(await Self.restored(phone) == [nil, "org.example.test"])
      #expect(await Self.state(phone).isLocked)

      let again = TestApp(phone.system, into: .background)
      // Suspended, it does not create its manager.
      #expect(try await again.messages.next(2).last == .didChangeState(.suspended))
      #expect(await Self.state(phone) == (true, .suspended))
      #expect(await Self.restored(phone) == [nil])
      // It wakes as before.
      try await phone.radio.connect()
      async let written: Void = phone.radio.write([7], to: TestApp.commandUUID)
      let messages = try await again.messages.next(3)
      #expect(messages[0] == .didChangeState(.background))
      guard case .peripheral(_, .willRestoreState) = messages[1] else {
        Issue.record("another order: \(messages)")
        return
      }
      try await again.answer()
      try await written
      #expect(await Self.state(phone) == (true, .background))
      #expect(await phone.system.perform(ControlRequest(.unlock)).error == nil)
      #expect(await Self.restored(phone).isEmpty)
      #expect(try phone.store.load().state.screen == nil)
    }
  }

  /// The apps of the events by which a new watcher learns what was restored; nil for the screen.
  private static func restored(_ phone: TestPhone) async -> [String?] {
    await phone.system.currentStateEvents.compactMap { event, app in
      switch event {
      case .restored, .screenRestored: .some(app)
      default: nil
      }
    }
  }

  @Test("An app that was frontmost when the screen was locked is in the foreground after unlocking")
  func frontmost() async throws {
    try await TestPhone.run(on: .simulated) { first in
      let app = TestApp(first.system)
      try await app.publish()
      #expect(await first.system.perform(ControlRequest(.lock)).error == nil)
      let phone = try await first.restarted()
      let again = TestApp(phone.system, into: .background)
      try await again.messages.first { $0 == .didChangeState(.background) ? true : nil }
      #expect(await phone.system.perform(ControlRequest(.unlock)).error == nil)
      #expect(await Self.state(phone) == (false, .foreground))
    }
  }

  @Test("An app that the rules have suspended is saved as such without another change")
  func suspendedByRules() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await phone.system.perform(ControlRequest(.background)).error == nil)
      try await phone.events.first { if case .state(_, .suspended, .gracePeriodExpired) = $0 { true } else { nil } }
      #expect(try phone.saved.first?.execution == nil)
      try await phone.system.loop.sleep(for: .seconds(1.1))
      #expect(try phone.saved.first?.execution == PreservedExecution(isSuspended: true, isFrontmost: false))
    }
  }

  @Test(
    "An app that the user launches again is in the foreground, and an app that the phone relaunches is in the background"
  )
  func launchedAgain() async throws {
    try await TestPhone.run(on: .simulated, launcher: TestLauncher(process: 4242)) { first in
      let app = TestApp(first.system)
      try await app.publish()
      #expect(await first.system.perform(ControlRequest(.suspend)).error == nil)
      let second = try await first.restarted()
      let byUser = TestApp(second.system)
      try await byUser.messages.first { $0 == .didChangeState(.foreground) ? true : nil }
      #expect(await second.system.perform(ControlRequest(.suspend)).error == nil)
      let phone = try await second.restarted()
      try await phone.radio.connect()
      async let written: Void = phone.radio.write([7], to: TestApp.commandUUID)
      _ = try await phone.launcher.asked.next()
      let relaunched = TestApp(phone.system, into: .background, peer: 4242)
      try await relaunched.answer()
      try await written
    }
  }

  @Test("A reboot of the phone is one still: nothing is on the air before the first unlock")
  func rebooted() async throws {
    try await TestPhone.run(on: .simulated) { first in
      let app = TestApp(first.system)
      try await app.publish()
      #expect(await first.system.perform(ControlRequest(.reboot)).error == nil)
      let phone = try await first.restarted()
      try await phone.events.first { if case .restored = $0 { true } else { nil } }
      try await phone.system.loop.sleep(for: .seconds(1))
      #expect(await phone.system.status().air.advertisements.isEmpty)
      #expect(await phone.system.perform(ControlRequest(.unlock)).error == nil)
      try await phone.events.first { if case .advertising = $0 { true } else { nil } }
    }
  }
}
