package import DBus

/// What a look at the machine found, as far as a peripheral depends on it.
package struct MachineReport: Sendable {
  /// Where the system bus was looked for.
  package var bus: BusAddress
  /// Why there is no bus; nil where there is one.
  package var busFailure: String?
  package var hasDaemon = false
  /// What bluetoothd said to a look at its objects; nil where it showed them.
  package var daemonFailure: DBusFailure?
  package var adapters: [Adapter] = []
  /// The controllers that the kernel has: `hci0`.
  package var controllers: [String] = []
  /// The controllers that rfkill blocks.
  package var blocked: [RadioBlock] = []
  /// `uname -r`.
  package var kernel = ""
  /// bluetoothd's main.conf; nil where it could not be read.
  package var configuration: DaemonConfiguration?

  package init(bus: BusAddress) { self.bus = bus }

  package struct RadioBlock: Hashable, Sendable {
    package let controller: String
    /// By a switch on the machine, which no command undoes.
    package let isHard: Bool

    package init(controller: String, isHard: Bool) {
      self.controller = controller
      self.isHard = isHard
    }
  }

  /// All adapters run under one daemon.
  package var version: DaemonVersion? { adapters.lazy.compactMap(\.version).first }
}
