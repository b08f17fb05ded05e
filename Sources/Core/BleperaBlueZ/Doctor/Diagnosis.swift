import BleperaBlueZProtocol
import BleperaBluetooth
import BleperaDBus
package import BleperaRadio

/// Findings about the machine that matter for a peripheral, in the order in which to fix them.
package enum Diagnosis {
  /// - Parameters:
  ///   - adapter: the requested adapter; nil for any.
  ///   - powersOn: whether an adapter that is off will be powered on.
  package static func findings(
    of report: MachineReport, adapter: String? = nil, powersOn: Bool = false
  ) -> [Finding] {
    let bus = self.bus(report)
    guard bus.severity != .problem else { return [bus] }
    let daemon = self.daemon(report)
    guard daemon.severity != .problem else { return [bus, daemon] }
    return [bus, daemon] + adapters(report, wanted: adapter, powersOn: powersOn) + releases(report) + exact(report)
      + SettingsDiagnosis.findings(of: report)
  }

  /// The limitations of the running bluetoothd compared with an iPhone; empty if bluetoothd is not running, or has no
  /// adapter, by which its release is known.
  package static func limitations(_ report: MachineReport) -> [RadioLimitation] {
    guard report.hasDaemon, report.busFailure == nil, report.daemonFailure == nil, !report.adapters.isEmpty else {
      return []
    }
    let isHonoring = report.adapters.contains { $0.advertising?.hasCapabilities == true }
    return BlueZLimitation.remaining(
      in: report.version, honorsIntervals: isHonoring ? true : nil,
      hasPrivateAddress: report.configuration?.hasPrivateAddress == true)
  }

  /// The first problem as a sentence with advice; nil if nothing prevents blepera from serving.
  package static func reason(_ findings: [Finding]) -> String? {
    guard let problem = findings.first(where: { $0.severity == .problem }) else { return nil }
    return problem.advice.map { "\(problem.state); \($0)" } ?? problem.state
  }

  private static func bus(_ report: MachineReport) -> Finding {
    guard let failure = report.busFailure else {
      return Finding(.good, "message bus", "reachable at \(report.bus)")
    }
    // Most of libdbus's error messages contain the socket's path.
    let path = report.bus.text.split(separator: "=").last ?? ""
    let place = failure.contains(path) ? "" : " at \(report.bus)"
    return Finding(
      .problem, "message bus", "no system bus\(place): \(failure)",
      advice: "start it (Debian: package dbus, systemctl start dbus), in a container pass its socket in, "
        + "or set DBUS_SYSTEM_BUS_ADDRESS")
  }

  private static func daemon(_ report: MachineReport) -> Finding {
    guard report.hasDaemon else {
      return Finding(
        .problem, "bluetoothd", "bluetoothd is not running: nobody owns org.bluez on the bus",
        advice: "start it (Debian: package bluez, systemctl start bluetooth)")
    }
    if let failure = report.daemonFailure {
      if case .remote(let error) = failure, error.name == .accessDenied {
        return Finding(
          .problem, "bluetoothd", "the bus does not let this user talk to bluetoothd",
          advice: "run as a user that /etc/dbus-1/system.d/bluetooth.conf allows (Debian: group bluetooth), or as root")
      }
      return Finding(
        .problem, "bluetoothd", "bluetoothd does not answer (\(failure))",
        advice: "look at its log (journalctl -u bluetooth) and restart it (systemctl restart bluetooth)")
    }
    guard !report.adapters.isEmpty else { return Finding(.good, "bluetoothd", "running; an adapter names its release") }
    guard let version = report.version else {
      let isHidden = report.configuration?["General", "DeviceID"] != nil
      return Finding(
        .note, "bluetoothd", "running, release unknown",
        advice: (isHidden ? "main.conf sets DeviceID, which hides it" : "its adapter's Modalias does not name it")
          + "; blepera assumes an old release")
    }
    return Finding(.good, "bluetoothd", "\(version)")
  }

  // MARK: Adapters

  private static func adapters(_ report: MachineReport, wanted: String?, powersOn: Bool) -> [Finding] {
    let sorted = report.adapters.sorted { $0.number < $1.number }
    if let wanted, !sorted.contains(where: { $0.name == wanted }) {
      let names = sorted.map(\.name)
      return [
        Finding(
          .problem, wanted, "there is no adapter \(wanted)",
          advice: names.isEmpty ? noAdapterAdvice(report) : "choose one of \(names.joined(separator: ", "))")
      ]
    }
    guard !sorted.isEmpty else {
      return [Finding(.problem, "adapter", noAdapterState(report), advice: noAdapterAdvice(report))]
    }
    let used = wanted ?? report.adapter?.name
    return sorted.flatMap { adapter in
      power(adapter, report, powersOn: powersOn, isUsed: adapter.name == used)
        + managers(adapter, report, isUsed: adapter.name == used)
    }
  }

  private static func noAdapterState(_ report: MachineReport) -> String {
    report.controllers.isEmpty
      ? "no Bluetooth adapter"
      : "bluetoothd shows no adapter, though the kernel has \(report.controllers.joined(separator: ", "))"
  }

  private static func noAdapterAdvice(_ report: MachineReport) -> String {
    guard !report.controllers.isEmpty else {
      return "plug one in, and see whether the kernel has its driver and firmware (dmesg | grep -i bluetooth)"
    }
    return SettingsDiagnosis.adviceWithoutAdapter(report)
      ?? "look at its log (journalctl -u bluetooth), then restart it (systemctl restart bluetooth)"
  }

  /// A problem of an unused adapter is only a note.
  private static func power(
    _ adapter: Adapter, _ report: MachineReport, powersOn: Bool, isUsed: Bool
  ) -> [Finding] {
    guard !adapter.isPowered else { return [Finding(.good, adapter.name, "\(adapter.address), powered on")] }
    let severity: Finding.Severity = isUsed ? .problem : .note
    if let block = report.blocked.first(where: { $0.controller == adapter.name }) {
      return [
        Finding(
          severity, adapter.name, "adapter \(adapter.name) is blocked by \(block.isHard ? "a switch" : "rfkill")",
          advice: block.isHard ? "turn the machine's radio switch on" : "rfkill unblock bluetooth")
      ]
    }
    guard !powersOn else {
      return [Finding(.note, adapter.name, "\(adapter.address), powered off; will be powered on")]
    }
    return [
      Finding(
        severity, adapter.name, "adapter \(adapter.name) is powered off",
        advice: "serve with --power-on, or bluetoothctl power on")
    ]
  }

  private static func managers(_ adapter: Adapter, _ report: MachineReport, isUsed: Bool) -> [Finding] {
    let severity: Finding.Severity = isUsed ? .problem : .note
    guard adapter.hasGATTManager else {
      return [
        Finding(
          severity, adapter.name, "bluetoothd offers no GattManager1 on \(adapter.name)",
          advice: SettingsDiagnosis.classicOnly(report) ?? "it is older than 5.42 or has no LE: use another adapter")
      ]
    }
    guard let advertising = adapter.advertising else {
      // bluetoothd exports the manager only while the controller is powered and can advertise.
      guard adapter.isPowered else { return [] }
      return [
        Finding(
          severity, adapter.name, "bluetoothd offers no LEAdvertisingManager1 on \(adapter.name)",
          advice: SettingsDiagnosis.classicOnly(report)
            ?? "the controller cannot advertise: use one with Bluetooth 4.0 or later")
      ]
    }
    guard advertising.freeInstances > 0 else {
      return [
        Finding(
          severity, "advertising",
          "no free advertising instance on \(adapter.name): \(advertising.activeInstances) are taken",
          advice: "end the programs that advertise, or restart bluetoothd")
      ]
    }
    return [
      Finding(
        .good, "advertising",
        "\(Quote.counted(advertising.freeInstances, "free instance")) on \(adapter.name)")
    ]
  }

  // MARK: Releases

  private static func releases(_ report: MachineReport) -> [Finding] {
    guard let version = report.version else { return [] }
    var findings: [Finding] = []
    if DaemonQuirk.ignoresIntervals.applies(to: version) { findings.append(intervals(report, version)) }
    if DaemonQuirk.sendsUncheckedAdvertisingData.applies(to: version),
      let row = KernelRelease.checkingAdvertisingData.first(where: { $0.contains(report.kernel) })
    {
      findings.append(
        Finding(
          .note, "kernel", "\(report.kernel) with bluetoothd \(version) may refuse every advertisement (0x0d)",
          advice: "if it does: bluetoothd 5.87 or later, or another kernel of \(row.series) (BlueZ issue 2268)"))
    } else {
      findings.append(Finding(.good, "kernel", report.kernel))
    }
    return findings + faults(report, version)
  }

  /// The finding for a release that ignores intervals unless it runs with -E.
  private static func intervals(_ report: MachineReport, _ version: DaemonVersion) -> Finding {
    guard let limitation = limitations(report).first(where: { $0.id == RadioLimitation.intervals }) else {
      return Finding(.good, "intervals", "experimental interfaces are on, so advertising intervals are honored")
    }
    guard case .success? = report.exact else {
      return Finding(
        .note, "intervals", "bluetoothd \(version) ignores advertising intervals and always uses 1280 ms",
        advice: limitation.advice)
    }
    return Finding(
      .note, "intervals", "bluetoothd \(version) ignores advertising intervals, so blepera sets the adapter's default",
      advice: "other programs that register an advertisement meanwhile get that interval too; run bluetoothd with -E, "
        + "or blepera with --exact, where that matters")
  }

  /// Whether `--exact` is possible here.
  private static func exact(_ report: MachineReport) -> [Finding] {
    switch report.exact {
    case nil: []
    case .success(let listed):
      [Finding(.good, "exact", "the kernel takes an iPhone's packets as they are (--exact)")] + ghosts(report, listed)
    case .failure(let failure):
      [Finding(.note, "exact", "--exact cannot be used here: \(failure)", advice: failure.advice)]
    }
  }

  /// The kernel lists no instance whose number exceeds their count, so bluetoothd can have more instances.
  private static func ghosts(_ report: MachineReport, _ listed: Int) -> [Finding] {
    guard let adapter = report.adapter, adapter.isPowered, let counted = adapter.advertising?.activeInstances,
      counted > listed
    else { return [] }
    return [
      Finding(
        .note, "advertising",
        "bluetoothd counts \(Quote.counted(counted, "advertisement")), and the kernel lists \(listed)",
        advice: "bluetoothd may count programs that have ended: restart bluetooth.service if no other advertises")
    ]
  }

  /// The release's faults toward links and programs.
  private static func faults(_ report: MachineReport, _ version: DaemonVersion) -> [Finding] {
    // Only releases that ignore intervals show by their capabilities that they run with -E.
    let isExperimental =
      DaemonQuirk.ignoresIntervals.applies(to: version)
      && report.adapters.contains { $0.advertising?.hasCapabilities == true }
    let faults = DaemonFault.faults(
      of: version, isExperimental: isExperimental, isDualMode: report.configuration?.isDualMode == true)
    return faults.map { fault in
      let release = fault.quirk.fixedIn.map { ", or bluetoothd \($0) or later" } ?? ""
      return Finding(.note, "faults", "bluetoothd \(version) \(fault.what)", advice: fault.advice + release)
    }
  }
}

/// A line of the doctor: a subject, its state and advice.
package struct Finding: Hashable, Sendable {
  package enum Severity: Int, Comparable, Sendable {
    case good
    /// Works with a limitation.
    case note
    /// Prevents blepera from serving.
    case problem

    package static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
  }

  package let severity: Severity
  package let subject: String
  package let state: String
  /// Nil if nothing needs to be done.
  package let advice: String?

  package init(_ severity: Severity, _ subject: String, _ state: String, advice: String? = nil) {
    self.severity = severity
    self.subject = subject
    self.state = state
    self.advice = advice
  }
}
