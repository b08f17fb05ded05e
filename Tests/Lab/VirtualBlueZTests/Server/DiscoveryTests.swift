import BleperaAir
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

  private static let uuids: (String, DBusValue) = ("UUIDs", .strings(["180d"]))
  private static let weakest: (String, DBusValue) = ("RSSI", .int16(-127))

  /// The release, the filter, and whether an equal strength is signaled with each packet (BlueZ e004414a1).
  private static let strengths: [(Int, [(String, DBusValue)], Bool)] = [
    (87, [uuids], true), (88, [uuids], false), (87, [weakest], true), (88, [weakest], true),
    (88, [uuids, weakest], true), (88, [uuids, ("Pathloss", .uint16(137))], true),
    (88, [("Pattern", .string(""))], false), (88, [("DuplicateData", .boolean(true))], false),
    (87, [("Transport", .string("le"))], false), (88, [("Transport", .string("le"))], false),
  ]

  @Test("A phone at a constant strength is signaled with each packet, or from 5.88 on once", arguments: strengths)
  func strength(minor: Int, filter: [(String, DBusValue)], isRepeated: Bool) async throws {
    try await VirtualRadio(DaemonBehavior(minor: minor)).stage { stage async throws in
      try await stage.goOnAir(
        Program.lively + [("LocalName", .string("phone")), ("ServiceUUIDs", .strings(["180d"]))])
      try await stage.ask(Self.adapter, BlueZName.adapter, "SetDiscoveryFilter", [.properties(filter)])
      try await stage.ask(Self.adapter, BlueZName.adapter, "StartDiscovery")
      try await stage.waitForObject(stage.phone, toBeThere: true)
      #expect(try await stage.get(stage.phone, BlueZName.device, "RSSI") == .int16(-50))
      try await stage.beQuiet()
      let signaled = stage.signals.left.filter { Stage.change(of: "RSSI", of: stage.phone, in: $0) != nil }
      #expect(isRepeated ? signaled.count >= 3 : signaled.isEmpty, "\(signaled.count)")
    }
  }

  @Test("A change of 8 dB is signaled by the next release too")
  func change() async throws {
    let radio = try await VirtualRadio(DaemonBehavior(minor: 88))
    try await radio.stage { stage async throws in
      try await stage.goOnAir(
        Program.lively + [("LocalName", .string("phone")), ("ServiceUUIDs", .strings(["180d"]))])
      try await stage.ask(Self.adapter, BlueZName.adapter, "SetDiscoveryFilter", [.properties([Self.uuids])])
      try await stage.ask(Self.adapter, BlueZName.adapter, "StartDiscovery")
      try await stage.waitForObject(stage.phone, toBeThere: true)
      for (rssi, isSignaled) in [(-57, false), (-58, true), (-65, false), (-50, true)] {
        let before = stage.signals.left.count
        await radio.server.set(AirConditions(rssi: rssi, latency: .milliseconds(1), interval: .zero))
        try await stage.beQuiet()
        let strengths = stage.signals.left.dropFirst(before).compactMap {
          Stage.change(of: "RSSI", of: stage.phone, in: $0)
        }
        #expect(strengths.last == (isSignaled ? .int16(Int16(rssi)) : nil), "\(rssi)")
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
