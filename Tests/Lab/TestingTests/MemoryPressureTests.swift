import BleperaTesting
import Testing

@testable import BleperaPhone
@testable import BleperaSimulation

@Suite("Suspended apps are terminated by chance", .timeLimit(.minutes(5)))
struct MemoryPressureTests {
  @Test("As often as the rate says, and equally with the same seed")
  func times() throws {
    func times(_ seed: UInt64) throws -> [Duration] {
      var pressure = try #require(MemoryPressure(rate: 60, seed: seed))
      return (0..<10_000).map { _ in pressure.next() }
    }
    let mean = try times(1).reduce(.zero, +) / 10_000
    #expect(mean > .seconds(58) && mean < .seconds(62))
    #expect(try times(1) == times(1))
    #expect(try times(1) != times(2))
    #expect(MemoryPressure(rate: 0, seed: 1) == nil)
  }

  /// The seconds at which an app that a central wakes every minute is terminated, in an hour.
  private static func terminations(rate: Double, seed: UInt64) async throws -> [Duration] {
    let ends = Record<Duration>()
    let air = Air(seed: seed)
    let (phone, central) = (Phone(on: air, memoryPressure: rate), Central(on: air))
    let app = phone.launch(TestLock.app { event, _ in if case .willRestoreState = event { ends.add(air.now) } })
    try await central.connect(to: phone)
    phone.moveToBackground()
    for _ in 1...60 {
      await air.advance(by: .seconds(60))
      #expect(try await central.read(TestLock.status) == [7])
      #expect(app.isRunning)
    }
    return ends.elements
  }

  @Test("An app that was terminated is relaunched for the next read")
  func relaunched() async throws {
    let ends = try await Self.terminations(rate: 20, seed: 1)
    #expect((5...40).contains(ends.count))
    #expect(try await Self.terminations(rate: 20, seed: 1) == ends)
    #expect(try await Self.terminations(rate: 0, seed: 1) == [])
  }
}
