import BleperaAir
import BleperaVirtualBlueZ
import BusTesting
import Testing

@Suite("The virtual bluetoothd on its bus", .timeLimit(.minutes(5)))
struct NameTests {
  @Test("The name is taken once")
  func name() async throws {
    let radio = try await VirtualRadio(DaemonBehavior(minor: 82))
    await #expect(throws: BlueZServer.Failure.nameTaken) {
      _ = try await BlueZServer.open(radio.bus.address, on: TestLoops.first, options: .adapters(1))
    }
    await radio.server.close()
  }
}
