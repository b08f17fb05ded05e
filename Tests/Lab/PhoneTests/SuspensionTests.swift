import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BusTesting
import Glibc
import Synchronization
import Testing

@testable import BleperaPhone
@testable import BleperaRules

@Suite("A suspended app does not run")
struct SuspensionTests {
  private static let app = AppID(rawValue: 1)

  @Test("The process that the phone has launched is stopped while its app is suspended", .timeLimit(.minutes(5)))
  func stopped() async throws {
    let launcher = TestLauncher(process: 4242)
    try await TestPhone.run(on: .simulated, launcher: launcher) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      try await phone.radio.connect()
      await phone.system.feed(.suspend(Self.app))
      #expect(launcher.signals.left.isEmpty)
      app.link.close()
      try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
      async let written: Void = phone.radio.write([7], to: TestApp.commandUUID)
      _ = try await launcher.asked.next()
      let again = TestApp(phone.system, into: .background, peer: 4242)
      try await again.answer()
      try await written
      await phone.system.feed(.suspend(Self.app))
      #expect(launcher.signals.left.last == "stop 4242")
      await phone.system.feed(.toForeground(Self.app))
      #expect(launcher.signals.left.last == "resume 4242")
    }
  }

  @Test("A process that allows it is stopped although somebody else has launched it", .timeLimit(.minutes(5)))
  func suspendable() async throws {
    let launcher = TestLauncher()
    try await TestPhone.run(on: .simulated, launcher: launcher) { phone in
      let process = LaunchDescription(arguments: ["/app"], folder: "/", environment: [:], isSuspendable: true)
      let app = TestApp(phone.system, process: process, peer: 4711)
      try await app.publish()
      await phone.system.feed(.suspend(Self.app))
      #expect(launcher.signals.left.last == "stop peer 4711")
      await phone.system.feed(.toForeground(Self.app))
      #expect(launcher.signals.left.last == "resume 4711")
    }
  }

  @Test("What a suspended app sends takes effect when it runs again", .timeLimit(.minutes(5)))
  func held() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      await phone.system.feed(.suspend(Self.app))
      app.send(.removeAllServices)
      app.link.send(.beginBackgroundTask(1))
      // A message that the phone handles at once shows that it has received the others.
      let other = TestApp(phone.system, TestApp.identity("other"), restores: nil)
      _ = try await other.messages.first { $0.updatedState == .poweredOn ? true : nil }
      #expect(await phone.system.services.services(of: Self.app).count == 1)
      await phone.system.feed(.toForeground(Self.app))
      try await phone.events.first { if case .unpublished = $0 { true } else { nil } }
      #expect(await phone.system.services.services(of: Self.app).isEmpty)
    }
  }

  @Test("What an app sends as soon as it runs again takes effect after what it sent before", .timeLimit(.minutes(5)))
  func heldFirst() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      let added = ServiceID(rawValue: 1)
      await phone.system.feed(.suspend(Self.app))
      await phone.system.receive(.peripheral(TestApp.manager, .removeAllServices), of: "org.example.test")
      await phone.system.bringToForeground(
        Self.app, sending: .peripheral(TestApp.manager, .addService(added, TestApp.service)))
      try await phone.events.first { if case .unpublished = $0 { true } else { nil } }
      #expect(await phone.system.services.services(of: Self.app).map(\.id) == [added])
    }
  }

  @Test("What an app of another process sends stays in its socket while it is suspended", .timeLimit(.minutes(5)))
  func paused() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let ends = makeInMemoryLink()
      let link = PausedLink(base: ends.system)
      await phone.system.attach(link)
      ends.app.send(.hello(version: appLinkVersion, app: TestApp.identity()))
      try await phone.events.first { if case .state(_, .foreground, _) = $0 { true } else { nil } }
      #expect(link.calls.withLock { $0 }.allSatisfy { $0 == "resume" })
      link.calls.withLock { $0 = [] }
      await phone.system.feed(.suspend(Self.app))
      #expect(link.calls.withLock { $0 } == ["pause"])
      await phone.system.feed(.toForeground(Self.app))
      #expect(link.calls.withLock { $0 }.prefix(2) == ["pause", "resume"])
    }
  }

  @Test("The link of an app that sends on and on while it is suspended is closed", .timeLimit(.minutes(5)))
  func flood() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      await phone.system.feed(.suspend(Self.app))
      for _ in 0...1024 { app.send(.stopAdvertising) }
      try await phone.events.first { if case .preserved(_, .crash) = $0 { true } else { nil } }
    }
  }
}

/// A link that records whether it is paused.
private final class PausedLink: AppLinkEnd, PausableAppLink {
  let calls = Mutex<[String]>([])
  private let base: InMemoryAppLink<PhoneMessage, AppMessage>

  init(base: InMemoryAppLink<PhoneMessage, AppMessage>) { self.base = base }

  func receive(on loop: any ActorLoop, _ handler: @escaping @Sendable (AppMessage?) -> Void) {
    base.receive(on: loop, handler)
  }

  func send(_ message: PhoneMessage) { base.send(message) }
  func close() { base.close() }
  func pause() { calls.withLock { $0.append("pause") } }
  func resume() { calls.withLock { $0.append("resume") } }
}

extension EmulatedPhone {
  /// The message arrives in the turn in which the app begins to run.
  fileprivate func bringToForeground(_ app: AppID, sending message: AppMessage) {
    feed(.toForeground(app))
    receive(message, of: "org.example.test")
  }
}
