import BleperaAir
package import BleperaVirtualBlueZ

/// The services that a case needs from the runner of org.bluez, beside D-Bus.
package protocol Radio: Sendable {
  /// Whether it is the real bluetoothd.
  var isReal: Bool { get }
  /// The release, and whether it was started with -E.
  var behavior: DaemonBehavior { get }
  /// Lets so much time be over, where time need not be waited for; elsewhere this does nothing, and the case waits for
  /// what is to come.
  func pass(_ time: Duration) async
  /// Slows the link down where discovery takes next to no time, so that a client's call can come before it.
  func slowDown() async
  /// Ends the daemon as a service manager would, or as a crash does, and starts it.
  func restart(isCrash: Bool) async throws
  /// Pulls an adapter out, or plugs it in.
  func plug(_ adapter: Int, isIn: Bool) async throws
}
