import BlueZContract
import BusTesting
import Testing
import BleperaVirtualBlueZ
import BleperaAir

@Suite("The contract, on the virtual bluetoothd", .timeLimit(.minutes(1)))
struct ContractTests {
  private static let turnstile = Turnstile(16)

  @Test("It is kept", arguments: ContractCase.all)
  func contract(_ one: ContractCase) async throws {
    try await Self.turnstile.pass {
      let radio = try await VirtualRadio(DaemonBehavior(minor: one.releases.lowerBound, isExperimental: true))
      try await radio.stage { stage in
        for failure in await one.play(on: stage) { Issue.record("\(failure)") }
      }
    }
  }

  @Test("Every case has a name of its own")
  func names() {
    #expect(Set(ContractCase.all.map(\.description)).count == ContractCase.all.count)
    #expect(ContractCase.all.count { $0.releases.contains(66) } >= 100)
  }
}
