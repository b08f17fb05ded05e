import BleperaAppLink
import BleperaBluetooth
import BleperaPreservation
import BleperaRules
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("A terminated app stays on the air and is relaunched for an event", .timeLimit(.minutes(5)))
struct RestorationTests {
  /// An app that serves, and a central that is subscribed to it.
  private static func serve(
    _ phone: TestPhone
  ) async throws -> TestApp {
    let app = TestApp(phone.system)
    try await app.publish()
    try await phone.radio.connect()
    try await phone.radio.subscribe(to: TestApp.measurementUUID)
    _ = try await app.messages.first { if case .peripheral(_, .didSubscribe) = $0 { true } else { nil } }
    return app
  }

  @Test(
    "A write relaunches the app: it receives its restored state, the state of the radio and the write, and continues (R8, R9)",
    arguments: RadioKind.allCases)
  func relaunch(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = try await Self.serve(phone)
      app.link.close()
      try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
      // A request for a value that the system caches needs no app.
      #expect(try await phone.radio.read(TestApp.cachedUUID) == [1])
      #expect(phone.launcher.asked.left.isEmpty)

      async let written: Void = phone.radio.write([7], to: TestApp.commandUUID)
      #expect(try await phone.launcher.asked.next() == TestApp.identity())
      let again = TestApp(phone.system, into: .background)
      let first = try await again.messages.next(5)
      guard case .welcome(_, nil, 1) = first[0], case .didChangeState(.background) = first[1],
        case .peripheral(_, .willRestoreState(let state)) = first[2],
        case .peripheral(_, .didUpdateState(.poweredOn)) = first[3],
        case .peripheral(_, .didReceiveWrite(let requests)) = first[4]
      else {
        Issue.record("another order: \(first)")
        return
      }
      #expect(state.advertisement == TestApp.advertisement)
      #expect(state.services.map(\.service) == [TestApp.service])
      #expect(state.services.first?.subscriptions.map(\.index) == [1])
      #expect(requests.first?.value == [7])
      again.send(.respond(try #require(requests.first?.id), error: nil, value: []))
      try await written

      again.send(.updateValue(TestApp.measurement, value: [9], centrals: nil))
      #expect(try await phone.radio.value(of: TestApp.measurementUUID) == [9])
    }
  }

  @Test("An app that the user launches is restored, too, in the foreground", arguments: RadioKind.allCases)
  func byHand(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = try await Self.serve(phone)
      app.link.close()
      try await phone.events.first { if case .preserved = $0 { true } else { nil } }
      let again = TestApp(phone.system)
      let first = try await again.messages.next(5)
      guard first[1] == .didChangeState(.inactive), case .peripheral(_, .willRestoreState) = first[2],
        case .peripheral(_, .didUpdateState) = first[3], first[4] == .didChangeState(.foreground)
      else {
        Issue.record("another order: \(first)")
        return
      }
      again.send(.updateValue(TestApp.measurement, value: [8], centrals: nil))
      #expect(try await phone.radio.value(of: TestApp.measurementUUID) == [8])
    }
  }

  @Test("Without a restoration identifier the app and its services are removed at once", arguments: RadioKind.allCases)
  func withoutIdentifier(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system, TestApp.identity(), restores: nil)
      try await app.publish()
      app.link.close()
      try await phone.events.first { if case .ended = $0 { true } else { nil } }
      try await phone.events.first { if case .advertisingStopped = $0 { true } else { nil } }
      #expect(try phone.saved.isEmpty)
      #expect(await phone.system.appCounts == (0, 0))
    }
  }

  @Test("Quit by the user it is forgotten, running or not", arguments: RadioKind.allCases, [true, false])
  func quit(on radio: RadioKind, isRunning: Bool) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(try phone.saved.count == 1)
      if !isRunning {
        app.link.close()
        try await phone.events.first { if case .preserved = $0 { true } else { nil } }
      }
      _ = await phone.system.perform(.init(.quit))
      #expect(try phone.saved.isEmpty)
      #expect(await phone.system.appCounts == (0, 0))
      guard isRunning else { return }
      // In the app switcher it is not in the foreground any more.
      #expect(
        try await app.messages.next(3) == [
          .didChangeState(.inactive), .didChangeState(.background), .willTerminate(.forceQuit),
        ])
    }
  }

  @Test("An app runs once; other apps may have its restoration identifier", arguments: RadioKind.allCases)
  func refusals(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      let twin = TestApp(phone.system)
      guard case .refused(let reason) = try await twin.messages.next() else { return }
      #expect(reason.contains("org.example.test is already running"))
      let other = TestApp(phone.system, TestApp.identity("other"))
      #expect(try await other.messages.next() == .welcome(version: appLinkVersion))
      #expect(await phone.system.appCounts == (2, 0))
    }
  }

  @Test("A failed launch is reported, and retried later", arguments: RadioKind.allCases)
  func launchFails(on radio: RadioKind) async throws {
    let launcher = TestLauncher(failing: LaunchFailure(reason: "no such file"))
    try await TestPhone.run(on: radio, launcher: launcher) { phone in
      let app = try await Self.serve(phone)
      app.link.close()
      // A write that arrives before the end of the app ends with it.
      try await phone.events.first { if case .preserved = $0 { true } else { nil } }
      // Again and again, as bluetoothd's limit for each is in real time.
      async let written: Void = {
        while !Task.isCancelled, (try? await phone.radio.write([7], to: TestApp.commandUUID)) == nil {}
      }()
      let reason = try await phone.events.first { if case .relaunchFailed(_, let reason) = $0 { reason } else { nil } }
      #expect(reason == "no such file")
      _ = try await launcher.asked.next(2)
      // The user's launch is in time for the write that still waits.
      let again = TestApp(phone.system)
      async let _: Void = { while true { try await again.answer() } }()
      await written
    }
  }

  @Test(
    "After the system's own restart: same handles, on the air without the app, and its values kept",
    arguments: RadioKind.allCases)
  func systemRestart(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { first in
      let app = try await Self.serve(first)
      let before = try #require(try first.saved.first)
      #expect(before.subscribers.map(\.characteristic) == [TestApp.measurement])
      let phone = try await first.restarted()
      withExtendedLifetime(app) {}
      try await phone.events.first { if case .restored(_, _, 1, _, _, false, _) = $0 { true } else { nil } }
      try await phone.events.first { if case .advertising = $0 { true } else { nil } }
      let after = try #require(try phone.saved.first)
      #expect(after.services == before.services && after.subscribers == before.subscribers)
      #expect(await phone.system.status().subscribers.map(\.isAwaited) == [true])

      let again = TestApp(phone.system)
      let state = try await again.messages.first { message -> RestoredState? in
        if case .peripheral(_, .willRestoreState(let state)) = message { state } else { nil }
      }
      #expect(state.services.first?.subscriptions.first?.centrals.count == 1)
      for value in 1...3 as ClosedRange<UInt8> {
        again.send(.updateValue(TestApp.measurement, value: [value], centrals: nil))
        _ = try await again.messages.first {
          if case .peripheral(_, .didUpdateValue(_, true, _)) = $0 { true } else { nil }
        }
        // An update that was reported as queued is on disk.
        #expect(try phone.saved.first?.subscribers.first?.updates.last == [value])
      }
      // The central's stack has received Service Changed, and subscribes again.
      try await phone.radio.subscribe(to: TestApp.measurementUUID)
      for value in 1...3 as ClosedRange<UInt8> {
        #expect(try await phone.radio.value(of: TestApp.measurementUUID) == [value])
      }
      #expect(await phone.system.status().subscribers.map(\.isAwaited) == [false])
      #expect(try phone.saved.first?.subscribers.map(\.updates) == [[]])
    }
  }

  @Test("A former subscriber that has left and is not bonded is reported as unsubscribed")
  func expiry() async throws {
    try await TestPhone.run(on: .simulated) { first in
      let app = try await Self.serve(first)
      let phone = try await first.restarted()
      withExtendedLifetime(app) {}
      let again = TestApp(phone.system)
      try await again.messages.first { $0 == .didChangeState(.foreground) ? true : nil }
      await (try #require(phone.radio as? AirRadio)).disconnect()
      let name = try await phone.events.first { if case .unsubscribed(_, let name) = $0 { name } else { nil } }
      #expect(name.characteristic == TestApp.measurementUUID)
      try await again.messages.first {
        if case .peripheral(_, .didUnsubscribe(_, from: TestApp.measurement)) = $0 { true } else { nil }
      }
      #expect(try phone.saved.first?.subscribers == [])
    }
  }

  @Test("What an app receives that is launched again is reported")
  func relaunch() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = try await Self.serve(phone)
      app.link.close()
      try await phone.events.first { if case .preserved = $0 { true } else { nil } }
      let again = TestApp(phone.system)
      try await phone.events.first { event in
        if case .restored("org.example.test", [TestApp.uuid], 1, [], 0, false, nil) = event { true } else { nil }
      }
      withExtendedLifetime(again) {}
    }
  }

  @Test("A disk that cannot be written is reported once, and the phone continues", arguments: RadioKind.allCases)
  func fullDisk(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      phone.store.failure = .cannotWrite("/state", reason: "full")
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(phone.events.left.count { if case .notSaved = $0 { true } else { false } } == 1)
      phone.store.failure = nil
      app.send(.stopAdvertising)
      app.send(.startAdvertising(TestApp.advertisement))
      _ = try await app.messages.first {
        if case .peripheral(_, .didStartAdvertising(nil, _)) = $0 { true } else { nil }
      }
      #expect(try phone.saved.count == 1)
    }
  }
}
