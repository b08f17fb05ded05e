import BleperaDBus
import BleperaLoop
import BleperaSimulation
import Testing

@testable import BleperaTestingBlueZ

@Suite("A story on adapters that has ended", .timeLimit(.minutes(5)))
struct BlueZBackendTests {
  @Test("What it is asked for afterwards returns, and no wait is for good")
  func afterwards() async {
    let backend = BlueZBackend(bus: .system, adapters: [])
    await backend.close()
    let results = await Task.detached { () -> (Int, Bool?, Int?) in
      let value = backend.perform { 7 }
      let wait = backend.wait(within: .seconds(3600)) { try await backend.loop.sleep(for: .seconds(3600)) }
      let quick = backend.wait(within: .seconds(3600)) { 8 }
      return (value, wait.map { if case .success = $0 { true } else { false } }, try? quick?.get())
    }.value
    #expect(results.0 == 7)
    #expect(results.1 != true)
    #expect(results.2 == 8)
    let finished = await backend.finish(within: .seconds(3600)) { 9 }
    let last = try? finished?.get()
    #expect(last == 9)
  }
}
