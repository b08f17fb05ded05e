/// The settings of bluetoothd's main.conf, a key file of GLib's.
package struct DaemonConfiguration: Hashable, Sendable {
  private var values: [String: String] = [:]
  /// The parts that bluetoothd ignores, in the order of the lines.
  package private(set) var faults: [Fault] = []

  /// A part of the file that bluetoothd ignores.
  package struct Fault: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
      /// No section, setting or comment, or a setting before the first section: bluetoothd ignores the file.
      case notAKeyFile
      case unknownSection(String)
      case unknownKey(String, section: String)
      case value(String, key: String, section: String, expected: String)
    }

    /// From 1.
    package let line: Int
    package let reason: Reason

    package init(line: Int, _ reason: Reason) {
      self.line = line
      self.reason = reason
    }
  }

  package init(text: String) {
    var section: String?
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let line = line.drop(while: \.isWhitespace)
      if line.isEmpty || line.hasPrefix("#") { continue }
      if let name = Self.section(line) {
        section = name
        if Self.keys[name] == nil { faults.append(Fault(line: index + 1, .unknownSection(name))) }
      } else if let section, let equals = line.firstIndex(of: "="), equals != line.startIndex {
        let key = String(line[..<equals].trimmed)
        // GLib keeps the space after a value.
        let value = String(line[line.index(after: equals)...].drop(while: \.isWhitespace))
        values["\(section).\(key)"] = value
        if let reason = Self.fault(value, key, section) { faults.append(Fault(line: index + 1, reason)) }
      } else {
        values = [:]
        faults = [Fault(line: index + 1, .notAKeyFile)]
        return
      }
    }
  }

  private static func section(_ line: Substring) -> String? {
    let line = line.trimmed
    return line.hasPrefix("[") && line.hasSuffix("]") ? String(line.dropFirst().dropLast()) : nil
  }

  /// The value of a key of a section; nil if bluetoothd uses its default.
  package subscript(section: String, key: String) -> String? { values["\(section).\(key)"] }

  /// Whether bluetoothd asks the kernel for resolvable private addresses: an adapter uses them from the next time it is
  /// switched on. Not with the values that begin with `limited`: an advertisement that says it is discoverable then has
  /// the public address.
  package var hasPrivateAddress: Bool { ["device", "network", "on"].contains(self["General", "Privacy"]) }

  /// Whether LE is switched off.
  package var isClassicOnly: Bool { self["General", "ControllerMode"] == "bredr" }
  /// Whether bluetoothd uses both LE and BR/EDR of a dual-mode adapter.
  var isDualMode: Bool { !isClassicOnly && self["General", "ControllerMode"] != "le" }

  /// Whether ExchangeMTU is below what the kernel takes for a listening socket: bluetoothd then shows no adapter
  /// (measured on 5.66 and 5.82).
  package var hasUnusableMTU: Bool {
    self["GATT", "ExchangeMTU"].flatMap { Int($0.trimmed) }.map { $0 < Self.usableMTU } ?? false
  }

  /// The least ExchangeMTU with which bluetoothd starts an adapter.
  package static let usableMTU = 48

  /// Whether a key is false, in either spelling that GKeyFile accepts.
  package func isOff(_ section: String, _ key: String) -> Bool {
    self[section, key].map { ["false", "0"].contains(String($0.trimmed)) } ?? false
  }
}

// MARK: Names that bluetoothd knows

extension DaemonConfiguration {
  /// The keys of all releases up to 5.87, by section.
  private static let keys: [String: Set<String>] = [
    "General": [
      "Name", "Class", "DiscoverableTimeout", "AlwaysPairable", "PairableTimeout", "DeviceID",
      "ReverseServiceDiscovery", "NameResolving", "DebugKeys", "ControllerMode", "MaxControllers", "MultiProfile",
      "FastConnectable", "SecureConnections", "Privacy", "JustWorksRepairing", "TemporaryTimeout", "RefreshDiscovery",
      "Experimental", "Testing", "KernelExperimental", "RemoteNameRequestRetryDelay", "FilterDiscoverable",
    ],
    "BR": [
      "PageScanType", "PageScanInterval", "PageScanWindow", "InquiryScanType", "InquiryScanInterval",
      "InquiryScanWindow", "LinkSupervisionTimeout", "PageTimeout", "IdleTimeout", "MinSniffInterval",
      "MaxSniffInterval",
    ],
    "LE": [
      "CentralAddressResolution", "MinAdvertisementInterval", "MaxAdvertisementInterval",
      "MultiAdvertisementRotationInterval", "ScanIntervalAutoConnect", "ScanWindowAutoConnect", "ScanIntervalSuspend",
      "ScanWindowSuspend", "ScanIntervalDiscovery", "ScanWindowDiscovery", "ScanIntervalAdvMonitor",
      "ScanWindowAdvMonitor", "ScanIntervalConnect", "ScanWindowConnect", "MinConnectionInterval",
      "MaxConnectionInterval", "ConnectionLatency", "ConnectionSupervisionTimeout", "Autoconnecttimeout",
      "AdvMonAllowlistScanDuration", "AdvMonNoFilterScanDuration", "EnableAdvMonInterleaveScan",
    ],
    "Policy": ["ReconnectUUIDs", "ReconnectAttempts", "ReconnectIntervals", "AutoEnable", "ResumeDelay"],
    "GATT": ["Cache", "KeySize", "ExchangeMTU", "Channels", "Client", "ExportClaimedServices", "Security"],
    "CSIS": ["SIRK", "Encryption", "Size", "Rank"],
    "AVDTP": ["SessionMode", "StreamMode"],
    "AVRCP": ["VolumeWithoutTarget", "VolumeCategory"],
    "ChannelSounding": ["Role", "CsSyncAntennaSel", "MaxTxPower"],
    "AdvMon": ["RSSISamplingPeriod"],
  ]

  /// The values of the keys that matter for a peripheral.
  private static let booleans: Set<String> = [
    "General.ReverseServiceDiscovery", "General.Experimental", "General.AlwaysPairable", "GATT.Client",
    "Policy.AutoEnable",
  ]
  private static let choices: [String: [String]] = [
    "General.ControllerMode": ["dual", "bredr", "le"],
    "General.Privacy": ["off", "network", "on", "device", "limited-network", "limited-device"],
    "General.JustWorksRepairing": ["never", "confirm", "always"], "GATT.Cache": ["always", "yes", "no"],
  ]
  private static let numbers: [String: ClosedRange<Int>] = ["GATT.ExchangeMTU": 23...517, "GATT.Channels": 1...6]

  private static func fault(_ value: String, _ key: String, _ section: String) -> Fault.Reason? {
    guard let known = keys[section] else { return nil }
    guard known.contains(key) else { return .unknownKey(key, section: section) }
    let name = "\(section).\(key)"
    let expected: String?
    if booleans.contains(name) {
      expected = ["true", "false", "1", "0"].contains(String(value.trimmed)) ? nil : "true or false"
    } else if let choices = choices[name] {
      expected = choices.contains(value) ? nil : "one of \(choices.joined(separator: ", "))"
    } else if let range = numbers[name] {
      let isInRange = Int(value.trimmed).map(range.contains) ?? false
      expected = isInRange ? nil : "\(range.lowerBound) to \(range.upperBound)"
    } else {
      expected = nil
    }
    return expected.map { .value(value, key: key, section: section, expected: $0) }
  }
}

extension StringProtocol {
  fileprivate var trimmed: SubSequence {
    let start = drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start.prefix(0) }
    return start[...last]
  }
}
