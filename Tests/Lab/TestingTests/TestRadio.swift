import BleperaAir
import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BleperaSimulation
import BleperaTestingBlueZ
import BleperaVirtualBlueZ
import BusTesting

/// The radio of a story in these tests.
enum TestRadio: CaseIterable {
  case virtual
  /// A virtual bluetoothd on a bus of its own, in real time.
  case bluez

  /// Runs a story on the radio.
  func play(_ story: (Air) async throws -> Void, onFailure: @escaping @Sendable (StoryFailure) -> Void) async throws {
    switch self {
    case .virtual: try await story(Air(on: .virtual, onFailure: onFailure))
    case .bluez:
      let bus = try PrivateBus()
      var options = BlueZServer.Options.adapters(3)
      options.behavior = DaemonBehavior(minor: 82)
      options.conditions = AirConditions(latency: .milliseconds(1), interval: .zero)
      let server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: options)
      let air = Air(on: .bluez(["hci0", "hci1", "hci2"], on: bus.address), onFailure: onFailure)
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
