import BleperaBlueZProtocol
import BleperaDBus
import Testing

@testable import BleperaBlueZ

/// A machine with one problem, and the lines that the doctor must print for it, severity first.
struct Machine: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let report: MachineReport
  let lines: [String]
  var adapter: String?
  var powersOn = false

  init(
    _ name: String, adapter: String? = nil, powersOn: Bool = false, _ lines: [String],
    changing change: (inout MachineReport) -> Void
  ) {
    testDescription = name
    self.lines = lines
    self.adapter = adapter
    self.powersOn = powersOn
    var report = Machine.sound
    change(&report)
    self.report = report
  }

  static func adapter(
    _ name: String, isPowered: Bool = true, version: DaemonVersion? = DaemonVersion(5, 82), free: Int? = 3,
    hasCapabilities: Bool = true, hasGATT: Bool = true
  ) -> Adapter {
    Adapter(
      path: Trace.adapter(name), address: "00:AA:01:00:00:00", isPowered: isPowered, version: version,
      hasGATTManager: hasGATT,
      advertising: free.map { .init(activeInstances: 4, freeInstances: $0, hasCapabilities: hasCapabilities) })
  }

  static let sound: MachineReport = {
    var report = MachineReport(bus: BusAddress("unix:path=/run/bus"))
    report.hasDaemon = true
    report.adapters = [adapter("hci0")]
    report.controllers = ["hci0"]
    report.kernel = "6.1.192-2"
    report.configuration = DaemonConfiguration(
      text: "[General]\nReverseServiceDiscovery = false\nControllerMode = le\n")
    return report
  }()
}
