package import BleperaBluetooth
package import BleperaRules

/// Follows the packets of one or more captures of a phone, and compares the values that they show with a rule set.
package struct CaptureComparison: Sendable {
  private var log = PhoneLog()
  private var air: SniffedAir
  private var scenes: PlayedScenes?
  /// The adapter of the last HCI packet. A log of several adapters comes adapter by adapter.
  private var adapter: Int?
  /// The product and the software in the notes of Apple's logger: `iPhone18,2` and `Version 26.5.1 (Build 23F81)`.
  package private(set) var product: String?
  package private(set) var software: String?
  /// The number of all packets and notes.
  package private(set) var packets = 0
  /// The time of the last packet, in nanoseconds since 1970.
  package private(set) var end: Int64 = 0

  private let receiver: AirReceiver
  /// The log of a host that met the phone, for `AirReceiver.host`.
  private var host = HostLog()

  package init(_ selection: PhoneSelection, receiver: AirReceiver = .sniffer) {
    self.receiver = receiver
    air = SniffedAir(selection, receiver: receiver)
  }

  /// Begins another capture, and drops the state of the capture before: its sets, scans and links.
  ///
  /// - Parameter scenes: the scenes that were played, by the clock of the capture.
  package mutating func beginCapture(scenes: PlayedScenes? = nil) {
    log.beginCapture()
    host.beginCapture()
    self.scenes = scenes
    adapter = nil
  }

  package mutating func add(_ packet: CapturedPacket) {
    if let adapter, let other = packet.adapter, other != adapter { beginCapture(scenes: scenes) }
    adapter = packet.adapter ?? adapter
    packets += 1
    end = packet.time
    let app = scenes?.app(at: packet.time)
    switch packet.content {
    case .hci(let hci) where receiver == .host:
      for report in host.add(hci, at: packet.time, air) {
        air.add(report, app, hasGap: !host.filtersDuplicates)
      }
    case .hci, .power: log.add(packet, app)
    case .air: air.add(packet, app)
    case .note(let text):
      product = Self.value("Product: ", of: text) ?? product
      software = Self.value("Software: ", of: text) ?? software
    }
  }

  private static func value(_ name: String, of note: String) -> String? {
    guard note.hasPrefix(name) else { return nil }
    let value = note.dropFirst(name.count).prefix { ($0.asciiValue ?? 0) >= 0x20 }
    return value.count <= longestNote ? String(value) : nil
  }

  private static let longestNote = 60

  /// The iOS version in the notes.
  package var ios: IOSVersion? {
    let digits = software?.drop { !$0.isNumber }.prefix { $0.isNumber }
    return digits.flatMap { Int($0) }.flatMap { IOSVersion(rawValue: $0) }
  }

  /// The number of the phone's advertisements and scan responses on the air.
  package var airPackets: Int { air.packets }
  /// The number of packets of the phone's own log.
  package var logPackets: Int { log.packets }

  /// The times at which the phone was locked and unlocked, by its own log if there is one.
  package var lockChanges: LockChanges { log.packets > 0 ? log.advertising.lockChanges : air.lockChanges }

  /// The reason that a value was not seen; nil if the value was seen, or no packet happened to show it.
  package func reason(_ value: Comparison) -> String? {
    guard value.measured == nil else { return nil }
    if value.visibility == .hci { return log.packets > 0 ? nil : "only in a phone's own log" }
    if receiver == .daemon { return SniffedAir.ofDaemon.contains(value.name) ? nil : "bluetoothd does not report it" }
    // The gaps fit no interval if the clock is too coarse, and also if several sets are mixed.
    if case .unfit? = air.estimate(value.name) { return "clock unfit for gaps" }
    return nil
  }

  /// The gaps of the sniffed packets of a value that is an interval.
  package func gaps(_ name: String) -> Gaps? { air.gaps(name) }

  /// The facts for which no rule has a value.
  package var observations: [Observation] { log.observations + air.observations + host.observations }

  /// Compares the measurements with a rule set. The phone's own log is exact, and takes precedence over the air.
  package func compare(with rules: RuleSet) -> [Comparison] {
    Comparison.all(log.measurements + air.measurements + host.measurements, with: rules)
  }
}
