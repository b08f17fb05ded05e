import BleperaBluetooth
package import BleperaDBus

/// An AdvertisementMonitor1 of a program (BlueZ src/adv_monitor.c).
package struct AdvertisementMonitor: Hashable, Sendable {
  /// Bytes at a place in an AD structure of a type.
  package struct Pattern: Hashable, Sendable {
    package let start: Int
    package let type: UInt8
    package let content: [UInt8]

    /// `BT_AD_MAX_DATA_LEN`, in bytes.
    private static let longest = 31
    /// The AD types that bluetoothd knows, beside manufacturer data.
    private static let types: ClosedRange<UInt8> = 0x01...0x3D

    /// Nil unless the value is a start, an AD type and bytes (`bt_ad_pattern_new`).
    init?(_ value: DBusValue) {
      guard case .structure(let fields) = value, fields.count == 3, case .byte(let start) = fields[0],
        case .byte(let type) = fields[1], let content = fields[2].byteArray, !content.isEmpty,
        Int(start) + content.count <= Self.longest, Self.types.contains(type) || type == ADType.manufacturerData
      else { return nil }
      self.start = Int(start)
      self.type = type
      self.content = content
    }

    func matches(_ structure: ADStructure) -> Bool {
      structure.type == type && structure.payload.dropFirst(start).starts(with: content)
    }
  }

  /// When a device counts as found and as lost.
  package struct Thresholds: Hashable, Sendable {
    /// In dBm.
    package let high: Int
    package let low: Int
    /// How long the signal stays above `high` or below `low` until the device is found or lost.
    package let highTime: Duration
    package let lowTime: Duration

    /// The properties, with the value that stands for none.
    private static let properties = [
      ("RSSIHighThreshold", 127), ("RSSILowThreshold", 127), ("RSSIHighTimeout", 0), ("RSSILowTimeout", 0),
      ("RSSISamplingPeriod", 256),
    ]
    private static let strengths = -127...20
    private static let seconds = 1...300

    /// The values of a monitor's properties in their order; nil if any has another type.
    static func values(in monitor: [String: DBusValue]) -> [Int?]? {
      var values: [Int?] = []
      for (name, none) in properties {
        switch monitor[name] {
        case nil: values.append(nil)
        case .int16(let value)? where name.hasSuffix("Threshold"): values.append(value == none ? nil : Int(value))
        case .uint16(let value)? where !name.hasSuffix("Threshold"): values.append(value == none ? nil : Int(value))
        default: return nil
        }
      }
      return values
    }

    /// Nil where a value is not valid; absent values get bluetoothd's defaults (`parse_rssi_and_timeout`). The sampling
    /// period is the radio's, if the radio filters.
    init?(_ values: [Int?]) {
      let low = values[1] ?? Self.strengths.lowerBound
      let high = values[0] ?? low
      let highTime = values[2] ?? 10
      let lowTime = values[3] ?? 5
      guard Self.strengths.contains(low), Self.strengths.contains(high), low <= high, Self.seconds.contains(highTime),
        Self.seconds.contains(lowTime), values[4] ?? 0 <= 255
      else { return nil }
      self.high = high
      self.low = low
      self.highTime = .seconds(highTime)
      self.lowTime = .seconds(lowTime)
    }
  }

  /// At least one; an advertisement that matches any of them is reported.
  package let patterns: [Pattern]
  /// Nil where each advertisement is reported.
  package let thresholds: Thresholds?

  /// Nil where bluetoothd releases the monitor instead: another type, no pattern, or a value that is not valid.
  package init?(properties: [String: DBusValue]) {
    guard properties["Type"]?.text == "or_patterns", case .array(let array)? = properties["Patterns"],
      !array.elements.isEmpty
    else { return nil }
    let patterns = array.elements.compactMap(Pattern.init)
    guard patterns.count == array.elements.count else { return nil }
    self.patterns = patterns
    guard let values = Thresholds.values(in: properties) else { return nil }
    let hasThresholds = values.contains { $0 != nil }
    thresholds = hasThresholds ? Thresholds(values) : nil
    if hasThresholds, thresholds == nil { return nil }
  }

  func matches(_ structures: [ADStructure]) -> Bool {
    patterns.contains { pattern in structures.contains(where: pattern.matches) }
  }
}

/// Whether a monitor with thresholds has found a device (`adv_monitor_filter_rssi`).
package struct MonitoredDevice: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case found, lost
  }

  package private(set) var isFound = false
  private var strongSince: Duration?
  private var weakSince: Duration?
  private var lastSeen: Duration?

  package init() {}

  /// An advertisement that matches has arrived, with a signal strength in dBm.
  package mutating func received(
    _ rssi: Int, at now: Duration, _ thresholds: AdvertisementMonitor.Thresholds
  ) -> Change? {
    if let lastSeen, now - lastSeen > thresholds.highTime { strongSince = nil }
    if let lastSeen, now - lastSeen > thresholds.lowTime { weakSince = nil }
    lastSeen = now
    if isFound {
      strongSince = nil
      weakSince = rssi < thresholds.low ? weakSince ?? now : nil
      guard let weakSince, now - weakSince >= thresholds.lowTime else { return nil }
      return end()
    }
    strongSince = rssi > thresholds.high ? strongSince ?? now : nil
    guard let strongSince, now - strongSince >= thresholds.highTime else { return nil }
    isFound = true
    self.strongSince = nil
    return .found
  }

  /// No advertisement has arrived for the time of the low threshold.
  package mutating func expired(at now: Duration, _ thresholds: AdvertisementMonitor.Thresholds) -> Change? {
    guard isFound, let lastSeen, now - lastSeen >= thresholds.lowTime else { return nil }
    return end()
  }

  private mutating func end() -> Change {
    isFound = false
    weakSince = nil
    return .lost
  }
}
