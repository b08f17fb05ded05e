import BleperaBlueZProtocol

/// Findings about bluetoothd's main.conf.
enum SettingsDiagnosis {
  private static let restart = "restart bluetoothd (systemctl restart bluetooth)"

  static func findings(of report: MachineReport) -> [Finding] {
    guard let configuration = report.configuration else { return [] }
    return configuration.faults.map(finding) + advice(configuration, report)
  }

  /// Advice on settings of main.conf that keep bluetoothd from showing a controller; nil if there are none.
  static func adviceWithoutAdapter(_ report: MachineReport) -> String? {
    if let advice = classicOnly(report) { return advice }
    guard report.configuration?.hasUnusableMTU == true else { return nil }
    return "with the ExchangeMTU of main.conf bluetoothd starts no adapter: set \(DaemonConfiguration.usableMTU) or "
      + "more under [GATT], and \(restart)"
  }

  /// Advice where main.conf switches LE off; nil if it does not.
  static func classicOnly(_ report: MachineReport) -> String? {
    guard report.configuration?.isClassicOnly == true else { return nil }
    return "main.conf switches LE off: set ControllerMode = le under [General], and \(restart)"
  }

  private static func finding(_ fault: DaemonConfiguration.Fault) -> Finding {
    let state =
      switch fault.reason {
      case .notAKeyFile: "bluetoothd ignores the whole main.conf for its line \(fault.line)"
      case .unknownSection(let name): "bluetoothd knows no section [\(name)] (line \(fault.line))"
      case .unknownKey(let key, let section): "bluetoothd knows no key \(key) under [\(section)] (line \(fault.line))"
      case .value(let value, let key, _, _): "bluetoothd does not take \(key) = \(value) (line \(fault.line))"
      }
    let advice =
      switch fault.reason {
      case .notAKeyFile: "write it as [Section], Key = value, or a comment that begins with #"
      case .unknownSection: "correct it; names are case-sensitive, such as [GATT]"
      case .unknownKey: "correct it; keys are case-sensitive, and each belongs to one section"
      case .value(_, _, _, let expected): "set \(expected), without anything after it"
      }
    return Finding(.note, "main.conf", state, advice: advice)
  }

  private static func advice(_ configuration: DaemonConfiguration, _ report: MachineReport) -> [Finding] {
    var findings: [Finding] = []
    let hasClientSetting = report.version.map { !DaemonQuirk.lacksClientSetting.applies(to: $0) }
    let isClient =
      !configuration.isOff("General", "ReverseServiceDiscovery")
      && !(hasClientSetting == true && configuration.isOff("GATT", "Client"))
    if isClient {
      let old = "ReverseServiceDiscovery = false under [General]"
      let new = "Client = false under [GATT]"
      let advice =
        switch hasClientSetting {
        case true?: "set \(new) in main.conf"
        case false?: "set \(old) in main.conf"
        case nil: "set \(old) in main.conf, or from 5.74 on \(new)"
        }
      findings.append(
        Finding(
          .note, "pairing", "bluetoothd reads the phones that connect, which makes them ask their user to pair",
          advice: advice))
    } else {
      findings.append(Finding(.good, "pairing", "bluetoothd does not read the phones that connect"))
    }
    if let version = report.version, DaemonQuirk.opensManyChannels.applies(to: version),
      configuration["GATT", "Channels"].flatMap({ Int($0) }) != 1
    {
      findings.append(
        Finding(
          .note, "EATT", "bluetoothd \(version) opens three ATT bearers to phones that can, which some handle badly",
          advice: "set Channels = 1 under [GATT] in main.conf"))
    }
    if !report.adapters.isEmpty, configuration.isDualMode {
      findings.append(
        Finding(
          .note, "mode", "the adapter is dual-mode, so phones may connect over BR/EDR instead of LE",
          advice: "set ControllerMode = le under [General] in main.conf"))
    }
    return findings
  }
}
