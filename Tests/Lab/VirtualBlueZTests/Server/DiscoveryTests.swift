import BleperaBlueZProtocol
import BleperaDBus
import BleperaVirtualBlueZ
import BlueZContract
import BusTesting
import Testing

@Suite("Discovery, as a controller starts and ends a scan", .timeLimit(.minutes(5)))
struct DiscoveryTests {
  private static let adapter = Stage.clientAdapter

  @Test("The first StartDiscovery and the last StopDiscovery take the time of a controller")
  func time() async throws {
    try await VirtualRadio(DaemonBehavior()).stage { stage async throws in
      for member in ["StartDiscovery", "StopDiscovery"] as [MemberName] {
        let clock = ContinuousClock()
        let begin = clock.now
        try await stage.ask(Self.adapter, BlueZName.adapter, member)
        // A timer may be early by a part of a millisecond.
        #expect(clock.now - begin >= .milliseconds(4), "\(member)")
      }
    }
  }

  /// The name of the error is `InProgress`, unless the controller was faster than the second call.
  @Test("A StartDiscovery that waits for the controller is answered when the adapter loses its power")
  func power() async throws {
    try await VirtualRadio(DaemonBehavior()).stage { stage async throws in
      let answers = Mailbox<Result<[DBusValue], DBusFailure>>()
      let call = Stage.call(Self.adapter, BlueZName.adapter, "StartDiscovery")
      _ = await stage.client.start(call, timeout: .seconds(20)) { answers.put($0) }
      try await stage.set(Self.adapter, BlueZName.adapter, "Powered", .boolean(false))
      let busy = DBusFailure.remote(.bluez("InProgress", "Operation already in progress"))
      #expect([.failure(busy), .success([])].contains(try await answers.next()))
      #expect(try await stage.get(Self.adapter, BlueZName.adapter, "Discovering") == .boolean(false))
    }
  }
}
