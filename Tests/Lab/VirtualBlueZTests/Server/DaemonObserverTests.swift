import BleperaBlueZ
import BleperaBlueZProtocol
import BleperaDBus
import BusTesting
import Testing

@Suite("Following bluetoothd", .timeLimit(.minutes(5)))
struct DaemonObserverTests {
  @Test("Where the bus does not say who bluetoothd is, it is asked again")
  func owner() async throws {
    let bus = try PrivateBus(denying: "GetNameOwner")
    let connection = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let daemons = Mailbox<BusName?>()
    let observer = DaemonObserver(connection: connection) { if case .daemon(let name, _) = $0 { daemons.put(name) } }
    try await observer.start()
    await #expect(throws: DBusFailure.self) { try await connection.owner(of: BlueZName.bus) }
    #expect(daemons.left.isEmpty)
    try bus.allowAll()
    _ = try await connection.call(
      MethodCall(destination: .bus, path: .bus, interface: .bus, member: "ReloadConfig", arguments: []))
    #expect(try await daemons.next() == nil)
    #expect(await observer.daemon == nil)
    await connection.close()
  }
}
