import BleperaAppLink
import BleperaBluetooth
import BleperaLoop
import BusTesting
import Testing

@testable import BleperaPhone

@Suite("The user launches an app by its icon", .timeLimit(.minutes(5)))
struct LaunchingTests {
  /// The phone's reply to a command for the app of these names.
  private static func ask(
    _ phone: TestPhone, _ command: ControlRequest.Command, _ app: String? = nil
  ) async -> String? {
    await phone.system.perform(ControlRequest(command, app: app)).error
  }

  @Test("An app that was quit is launched again, by each of its names; another is not", arguments: RadioKind.allCases)
  func quit(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let identity = TestApp.identity()
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await Self.ask(phone, .quit) == nil)
      try await phone.events.first { if case .ended = $0 { true } else { nil } }
      for command in [ControlRequest.Command.foreground, .background, .suspend] {
        #expect(
          await Self.ask(phone, command)
            == "not running: \(identity.bundleIdentifier); start it with 'blepera launch'.")
      }
      #expect(
        await Self.ask(phone, .launch, "other")
          == "no app to launch: 'other'. Known apps: \(identity.bundleIdentifier); 'blepera serve FILE' starts another."
      )
      let last = try #require(identity.bundleIdentifier.split(separator: ".").last)
      async let launched = Self.ask(phone, .launch, String(last))
      #expect(try await phone.launcher.asked.next() == identity)
      // While the app starts, nothing is launched twice.
      #expect(await Self.ask(phone, .launch, identity.bundleIdentifier)?.hasPrefix("no app to launch") == true)
      let again = TestApp(phone.system)
      let first = try await again.messages.next(4)
      #expect(first.contains(.didChangeState(.foreground)))
      #expect(await launched == nil)
      #expect(await Self.ask(phone, .background) == nil)
    }
  }

  @Test(
    "A preserved app is launched with its state; one that runs moves to the foreground", arguments: RadioKind.allCases)
  func preserved(on radio: RadioKind) async throws {
    try await TestPhone.run(on: radio) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await Self.ask(phone, .terminate) == nil)
      try await phone.events.first { if case .preserved = $0 { true } else { nil } }
      async let launched = Self.ask(phone, .launch)
      #expect(try await phone.launcher.asked.next() == TestApp.identity())
      let again = TestApp(phone.system)
      let first = try await again.messages.next(4)
      guard case .welcome(_, nil, 1) = first[0], case .peripheral(_, .willRestoreState) = first[2] else {
        Issue.record("another order: \(first)")
        return
      }
      #expect(await launched == nil)
      #expect(await Self.ask(phone, .background) == nil)
      #expect(await Self.ask(phone, .launch) == nil)
      try await again.messages.first { $0 == .didChangeState(.background) ? true : nil }
      try await again.messages.first { $0 == .didChangeState(.foreground) ? true : nil }
      #expect(phone.launcher.asked.left.isEmpty)
    }
  }

  @Test("An app whose process ends before it sends hello is reported as not launched", arguments: [true, false])
  func failed(isShutDown: Bool) async throws {
    try await TestPhone.run(on: .simulated) { phone in
      let app = TestApp(phone.system)
      try await app.publish()
      #expect(await Self.ask(phone, .quit) == nil)
      try await phone.events.first { if case .ended = $0 { true } else { nil } }
      async let launched = Self.ask(phone, .launch)
      let name = try await phone.launcher.asked.next().bundleIdentifier
      if isShutDown {
        await phone.system.shutDown()
        #expect(await launched == "\(name) was not launched: the phone was shut down.")
      } else {
        let ended = try await phone.launcher.ends.next()
        let timer = phone.system.loop.schedule(after: .zero) { ended("ended with status 3") }
        defer { timer.cancel() }
        #expect(await launched == "\(name) was not launched: the process ended with status 3 before it sent hello.")
      }
    }
  }

  @Test("While the screen is locked nothing is launched; on a phone without apps neither")
  func refused() async throws {
    try await TestPhone.run(on: .simulated) { phone in
      #expect(
        await Self.ask(phone, .launch) == "no app to launch. Known apps: none; 'blepera serve FILE' starts another.")
      #expect(await Self.ask(phone, .lock) == nil)
      #expect(
        await Self.ask(phone, .launch) == "the screen is locked; apps can be launched after 'blepera unlock'.")
    }
  }
}
