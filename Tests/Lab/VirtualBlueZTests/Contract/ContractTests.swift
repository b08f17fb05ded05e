import BleperaAir
import BleperaVirtualBlueZ
import BlueZContract
import BusTesting
import Testing

/// The limit covers the wait at the turnstile.
@Suite("The contract, on the virtual bluetoothd", .timeLimit(.minutes(10)))
struct ContractTests {
  private static let turnstile = Turnstile(16)

  @Test("It is kept, by every release", arguments: ContractCase.all)
  func contract(_ one: ContractCase) async throws {
    try await Self.turnstile.pass {
      for minor in ContractCase.debian where one.releases.contains(minor) {
        let radio = try await VirtualRadio(DaemonBehavior(minor: minor, isExperimental: true))
        try await radio.stage { stage in
          for failure in await one.play(on: stage) { Issue.record("5.\(minor): \(failure)") }
        }
      }
    }
  }

  @Test("Every case has a name of its own")
  func names() {
    #expect(Set(ContractCase.all.map(\.description)).count == ContractCase.all.count)
    #expect(ContractCase.all.count { $0.releases.contains(66) } >= 100)
  }
}
