import BlueZContract
import BusTesting
import DBus
import EventLoop
@testable import VirtualBlueZ

/// A virtual radio on a private bus.
actor VirtualRadio: Radio {
  nonisolated let isReal = false
  nonisolated let behavior: DaemonBehavior
  let bus: PrivateBus
  private(set) var server: BlueZServer

  init(_ behavior: DaemonBehavior, adapters: Int = 3, isManual: Bool = false) async throws {
    self.behavior = behavior
    bus = try PrivateBus()
    server = try await BlueZServer.open(
      bus.address, on: TestLoops.first, options: Self.options(behavior, adapters: adapters, isManual: isManual))
  }

  private static func options(_ behavior: DaemonBehavior, adapters: Int = 3, isManual: Bool = false)
    -> BlueZServer.Options
  {
    var options = BlueZServer.Options.adapters(adapters)
    options.behavior = behavior
    options.isManual = isManual
    options.conditions.latency = .milliseconds(1)
    return options
  }

  func pass(_ time: Duration) async { await server.advance(by: time) }

  func restart(isCrash: Bool) async throws {
    if isCrash { await server.connection.close() } else { await server.close() }
    server = try await BlueZServer.open(bus.address, on: TestLoops.first, options: Self.options(behavior))
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
