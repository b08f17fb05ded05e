import ArgumentParser
import BleperaBlueZ

/// The bluetoothd whose packets `blepera explain` prints beside an iPhone's.
struct ExplainedDaemon: Equatable {
  enum Origin: String, Encodable {
    /// The bluetoothd runs on this machine.
    case running
    /// The options name a release.
    case given
    /// No bluetoothd runs here, and no option names a release.
    case assumed
  }

  static let assumed = ExplainedDaemon(daemon: .ofDebian12, origin: .assumed)

  let daemon: BluetoothDaemon
  let origin: Origin

  /// The bluetoothd of this machine; nil if it does not respond or has no adapter, from which its release is read.
  static func running(_ report: MachineReport) -> ExplainedDaemon? {
    report.adapter.map { ExplainedDaemon(daemon: BluetoothDaemon($0), origin: .running) }
  }

  /// The release's faults toward links and programs; empty if no release is named or runs.
  var faults: [String] {
    guard origin != .assumed, let version = daemon.version else { return [] }
    return DaemonFault.faults(of: version, isExperimental: daemon.isExperimental).map { "\($0.what); \($0.advice)" }
  }

  var text: String {
    let release = daemon.version.map { "\($0)" } ?? "release unknown"
    let description = "\(release) \(daemon.isExperimental ? "with" : "without") -E"
    switch origin {
    case .running: return "\(description), which runs here"
    case .given: return description
    case .assumed: return "\(description), as in Debian 12; none is found here, and --bluez-version names another"
    }
  }
}

extension ExplainedDaemon: Encodable {
  private enum CodingKeys: CodingKey {
    case version, experimental, origin, faults
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(daemon.version.map { "\($0)" }, forKey: .version)
    try container.encode(daemon.isExperimental, forKey: .experimental)
    try container.encode(origin, forKey: .origin)
    try container.encode(faults, forKey: .faults)
  }
}

/// A release on the command line; another option says whether it runs with `-E`.
extension BluetoothDaemon: ExpressibleByArgument {
  init?(argument: String) { self.init(release: argument) }
}
