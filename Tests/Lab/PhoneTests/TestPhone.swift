import BleperaEventLoop
import BleperaLoop
import BleperaPreservation
import BusTesting
import Testing

@testable import BleperaPhone

/// A system on a radio, and a central on the other side.
struct TestPhone: Sendable {
  private let loop: any ActorLoop
  let radio: any TestedRadio
  let store: InMemoryPreservationStore
  let launcher: TestLauncher
  private let phoneServices: Bool
  let system: EmulatedPhone
  let events: Mailbox<PhoneEvent>

  /// The longest virtual time of a scene.
  private static let limit = Duration.seconds(600)

  static func run(
    on kind: RadioKind, launcher: TestLauncher = TestLauncher(), phoneServices: Bool = false,
    _ body: @escaping @Sendable (TestPhone) async throws -> Void
  ) async throws {
    switch kind {
    case .bus: try await run(on: BusRadio(), BusRadio.loop, launcher, phoneServices, body)
    case .simulated:
      let loop = VirtualLoop(beginning: .seconds(1_800_000_000))
      let result = loop.run(until: limit) {
        try await run(on: AirRadio(loop: loop), loop, launcher, phoneServices, body)
      }
      try #require(result, "the scene waits for something that never comes").get()
    }
  }

  private static func run(
    on radio: any TestedRadio, _ loop: any ActorLoop, _ launcher: TestLauncher, _ phoneServices: Bool,
    _ body: (TestPhone) async throws -> Void
  ) async throws {
    let store = InMemoryPreservationStore()
    let phone = try await TestPhone(loop, radio, store, launcher, phoneServices)
    let result: Result<Void, any Error>
    do {
      try await body(phone)
      result = .success(())
    } catch { result = .failure(error) }
    await phone.system.shutDown()
    await radio.close()
    try result.get()
  }

  private init(
    _ loop: any ActorLoop, _ radio: any TestedRadio, _ store: InMemoryPreservationStore, _ launcher: TestLauncher,
    _ phoneServices: Bool
  ) async throws {
    self.loop = loop
    self.radio = radio
    self.store = store
    self.launcher = launcher
    self.phoneServices = phoneServices
    let events = Mailbox<PhoneEvent>()
    self.events = events
    var settings = PhoneSettings()
    settings.phoneServices = phoneServices
    system = EmulatedPhone(loop: loop, settings: settings, store: store, launcher: launcher) { event, _ in
      events.put(event)
    }
    try await radio.start(system)
  }

  /// Ends the system as a kill does, and starts another one on what it had saved.
  func restarted() async throws -> TestPhone {
    await system.die()
    await radio.kill(system)
    return try await TestPhone(loop, radio, store, launcher, phoneServices)
  }

  var saved: [PreservedApp] {
    get throws { try store.load().state.apps }
  }
}

extension EmulatedPhone {
  /// Stops recording the callbacks of the app.
  func die() { isShutDown = true }
}
