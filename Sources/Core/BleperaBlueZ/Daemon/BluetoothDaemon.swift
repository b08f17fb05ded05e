package import BleperaBlueZProtocol

/// The properties of a bluetoothd on which its advertisements depend.
package struct BluetoothDaemon: Hashable, Sendable {
  /// Nil if unknown.
  package let version: DaemonVersion?
  /// Whether bluetoothd runs with `-E`, or `Experimental = true` in main.conf.
  package let isExperimental: Bool
  /// Whether bluetoothd honors MinInterval and MaxInterval; nil if unknown.
  package let honorsIntervals: Bool?

  package init(version: DaemonVersion, isExperimental: Bool = false) {
    self.version = version
    self.isExperimental = isExperimental
    honorsIntervals = version.honorsIntervals(isExperimental: isExperimental)
  }

  /// A release such as `5.66`, or `next`, without `-E`; nil for another text. The releases that take advertisements of
  /// programs have the major version 5.
  package init?(release text: String) {
    let named = text == "next" ? DaemonVersion.next : DaemonVersion(text: text)
    guard let version = named, version.major == 5, (0..<100).contains(version.minor) else { return nil }
    self.init(version: version)
  }

  /// The release with or without `-E`.
  package func with(isExperimental: Bool) -> BluetoothDaemon {
    version.map { BluetoothDaemon(version: $0, isExperimental: isExperimental) } ?? self
  }

  /// The bluetoothd of Debian 12, without `-E`.
  package static let ofDebian12 = BluetoothDaemon(version: DaemonVersion(5, 66))

  package init(_ adapter: Adapter) {
    version = adapter.version
    isExperimental = adapter.isExperimental
    honorsIntervals = adapter.advertising.flatMap { advertising in
      if advertising.hasCapabilities { return true }
      return adapter.version.flatMap { DaemonQuirk.ignoresIntervals.applies(to: $0) ? false : nil }
    }
  }

  /// Whether an advertisement can give the content of its scan response; bluetoothd needs `-E` to take changes of that
  /// content while the advertisement is registered.
  package var takesScanResponses: Bool {
    version.map { !DaemonQuirk.ignoresScanResponses.applies(to: $0) } ?? false
  }
}
