import BleperaDBus
import BleperaEventLoop
import BleperaLoop
import BlueZContract
import BusTesting

@testable import BleperaAir
@testable import BleperaVirtualBlueZ

/// A virtual radio on a private bus.
actor VirtualRadio: Radio {
  nonisolated let isReal = false
  nonisolated let behavior: DaemonBehavior
  let bus: PrivateBus
  private let clock = SkippingLoop(TestLoops.first)
  private(set) var server: BlueZServer

  init(_ behavior: DaemonBehavior) async throws {
    self.behavior = behavior
    bus = try PrivateBus()
    server = try await Self.open(bus, behavior, clock)
  }

  private static func open(
    _ bus: PrivateBus, _ behavior: DaemonBehavior, _ clock: SkippingLoop
  ) async throws -> BlueZServer {
    let air = SharedAir(loop: clock, conditions: AirConditions(latency: .milliseconds(1), interval: .zero))
    return try await BlueZServer.open(bus.address, on: TestLoops.first, options: options(behavior), air: air)
  }

  private static func options(_ behavior: DaemonBehavior) -> BlueZServer.Options {
    var options = BlueZServer.Options.adapters(3)
    options.behavior = behavior
    return options
  }

  func pass(_ time: Duration) async { await server.pass(time, on: clock) }

  /// Discovery takes 5 s then.
  func slowDown() async { await server.set(AirConditions(latency: .milliseconds(250), interval: .zero)) }

  func restart(isCrash: Bool) async throws {
    if isCrash { await server.connection.close() } else { await server.close() }
    server = try await Self.open(bus, behavior, clock)
  }

  func plug(_ adapter: Int, isIn: Bool) async throws {
    guard isIn else { return await server.unplug(AdapterID(adapter)) }
    await server.plug(AdapterID(adapter), Self.options(behavior).adapters[adapter])
  }

  /// Runs `body` with a program at each of the first two adapters.
  nonisolated func stage(_ body: (BlueZContract.Stage) async throws -> Void) async throws {
    let app = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let client = try await DBusConnection.open(bus.address, on: TestLoops.second)
    let result: Result<Void, any Error>
    do {
      try await body(BlueZContract.Stage(radio: self, app: app, client: client))
      result = .success(())
    } catch {
      result = .failure(error)
    }
    await app.close()
    await client.close()
    await server.close()
    try result.get()
  }
}

extension BlueZServer {
  fileprivate func pass(_ time: Duration, on clock: SkippingLoop) { clock.skip(time) }
}
