package import BleperaBluetooth
package import BleperaRules

/// Follows the packets of one or more captures of a phone, and compares what they show with a rule set.
package struct CaptureComparison: Sendable {
  private var log = PhoneLog()
  private var air: SniffedAir
  private var scenes: PlayedScenes?
  /// The adapter in a log of several, whose packets come adapter by adapter.
  private var adapter: Int?
  /// From the notes of Apple's logger, such as `iPhone18,2` and `Version 26.5.1 (Build 23F81)`.
  package private(set) var product: String?
  package private(set) var software: String?
  /// Of all kinds.
  package private(set) var packets = 0
  /// Of the last packet, in nanoseconds since 1970.
  package private(set) var end: Int64 = 0

  private let receiver: AirReceiver
  /// Of a host that met the phone.
  private var host = HostLog()

  package init(_ selection: PhoneSelection, receiver: AirReceiver = .sniffer) {
    self.receiver = receiver
    air = SniffedAir(selection, receiver: receiver)
  }

  /// Begins another capture, of which nothing that was in force before is known.
  ///
  /// - Parameter scenes: those that were played, by the clock of the capture.
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

  /// The version in the notes.
  package var ios: IOSVersion? {
    let digits = software?.drop { !$0.isNumber }.prefix { $0.isNumber }
    return digits.flatMap { Int($0) }.flatMap { IOSVersion(rawValue: $0) }
  }

  /// Advertisements and scan responses of the phone on the air.
  package var airPackets: Int { air.packets }
  /// Packets of the phone's own log.
  package var logPackets: Int { log.packets }

  /// When the phone was locked and unlocked, by its own log if there is one.
  package var lockChanges: LockChanges { log.packets > 0 ? log.advertising.lockChanges : air.lockChanges }

  /// Why a value was not seen; nil where no packet shows it.
  package func reason(_ value: Comparison) -> String? {
    guard value.measured == nil else { return nil }
    if value.visibility == .hci { return log.packets > 0 ? nil : "only in a phone's own log" }
    if receiver == .daemon { return SniffedAir.ofDaemon.contains(value.name) ? nil : "bluetoothd does not report it" }
    // Or several sets are mixed.
    if case .unfit? = air.estimate(value.name) { return "clock unfit for gaps" }
    return nil
  }

  /// The gaps of the sniffed packets of a value that is an interval.
  package func gaps(_ name: String) -> Gaps? { air.gaps(name) }

  /// What no rule has a value for.
  package var observations: [Observation] { log.observations + air.observations + host.observations }

  /// What the phone's own log shows is exact, and takes precedence over the air.
  package func compare(with rules: RuleSet) -> [Comparison] {
    Comparison.all(log.measurements + air.measurements + host.measurements, with: rules)
  }
}
