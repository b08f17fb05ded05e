import BleperaBlueZ
import BleperaDBus
import BleperaEventLoop
import BleperaPhone

extension EmulatedPhone {
  /// Starts the phone on an adapter of bluetoothd.
  func start(
    bus: BusAddress, options: BlueZRadio.Options, on loop: EventLoop
  ) async throws {
    let connection = try await DBusConnection.open(bus, on: loop)
    try await start { report in
      BlueZRadio(connection: connection, options: options) { () throws(DBusFailure) in
        try await DBusConnection.open(bus, on: loop)
      } report: {
        report($0)
      }
    }
  }
}
