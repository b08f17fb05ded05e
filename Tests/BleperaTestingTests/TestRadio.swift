import BusTesting
import DBus
import EventLoop
import Story
import VirtualBlueZ

/// A radio that a story is told on in these tests.
enum TestRadio: CaseIterable {
  case virtual
  /// A virtual bluetoothd on a bus of its own, in real time.
  case bluez

  /// Tells a story on it.
  func play(_ story: (Air) async throws -> Void, trouble: @escaping @Sendable (StoryFailure) -> Void) async throws {
    switch self {
    case .virtual: try await story(Air(on: .virtual, trouble: trouble))
    case .bluez:
      let bus = try PrivateBus()
      var options = BlueZServer.Options.adapters(3)
      options.behavior = DaemonBehavior(minor: 82)
      options.conditions.latency = .milliseconds(1)
      let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: options)
      let air = Air(on: Radio(.bluez(bus.address, adapters: ["hci0", "hci1", "hci2"])), trouble: trouble)
      do {
        try await story(air)
      } catch {
        await air.close()
        await server.close()
        throw error
      }
      await air.close()
      await server.close()
    }
  }
}
