import BleperaBluetooth
import BleperaRules

/// Follows a phone's own log of its HCI traffic, and measures the rules' values that it shows.
package struct PhoneLog: Sendable {
  var advertising = LoggedAdvertising()
  var scanning = LoggedScanning()
  var links = LoggedLinks()
  private var isAsleep: Bool?
  private var app: AppScene?
  /// The number of HCI commands, events and data packets.
  package private(set) var packets = 0

  package init() {}

  /// Begins another log, and drops the state of the log before: its sets, scans and links.
  package mutating func beginCapture() {
    isAsleep = nil
    scanning.beginCapture()
    advertising.beginCapture()
    links.beginCapture()
  }

  /// - Parameter app: the app's state in the scene, if known.
  package mutating func add(_ packet: CapturedPacket, _ app: AppScene? = nil) {
    self.app = app
    switch packet.content {
    case .hci(let hci):
      packets += 1
      add(hci, at: packet.time)
    case .power(let text):
      scanning.advance(to: packet.time, isAsleep: isAsleep, app)
      if text.hasPrefix("AP Sleep") {
        isAsleep = true
        links.sleep()
      } else if text.hasPrefix("AP Wake") {
        isAsleep = false
      }
    case .note, .air: break
    }
  }

  private mutating func add(_ packet: HCIPacket, at time: Int64) {
    let bytes = packet.bytes[...]
    switch packet.kind {
    case .command:
      guard let opcode = packet.opcode else { return }
      let parameters = bytes.from(3)
      if LoggedScanning.isCommand(opcode) { scanning.advance(to: time, isAsleep: isAsleep, app) }
      scanning.handle(opcode, parameters)
      advertising.handle(opcode, parameters, at: time, app)
      links.command(opcode, parameters, at: time)
    case .event: if let event = LinkEvent(bytes) { links.event(event, at: time) }
    case .acl: links.data(bytes, isReceived: packet.isReceived, at: time)
    case .synchronous, .isochronous: break
    }
  }

  /// The measured values, by names of `VisibleValue`.
  package var measurements: [Measurement] { advertising.measurements + scanning.measurements + links.measurements }

  package var observations: [Observation] { scanning.observations + advertising.observations + links.observations }
}
