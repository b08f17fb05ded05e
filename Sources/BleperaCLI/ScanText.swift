import EventTrace
import GATT
import Policy
import Profile

/// What `blepera scan` says, for a person: a line with the time, and below it a row for each kind of central.
struct ScanText {
  let terminal: Terminal

  private static let wordWidth = 14
  /// Of the time and two spaces.
  private static let indent = 14

  func lines(_ record: ScanRecord, at time: Timestamp) -> [String] {
    var rest: [String] = []
    if let peripheral = record.peripheral { rest.append(peripheral) }
    if let rssi = record.rssi { rest.append("\(rssi) dBm") }
    if let bits = record.overflowBits { rest.append("overflow area: \(Self.bits(bits))") }
    if record.event == .scanning { rest += task(record) }
    if let reason = record.reason { rest.append(reason) }
    let word = TextLayout.padded(terminal.styled(Self.word(record.event), Self.style(record.event)), to: Self.wordWidth)
    let head = "\(terminal.styled(time.clock, .dim))  \(word)  \(rest.joined(separator: "  "))"
    return [head] + (record.seen.map { rows($0, record) } ?? [])
  }

  private static func word(_ event: ScanRecord.Event) -> String {
    switch event {
    case .scanning: "scans"
    case .scanningFailed: "cannot scan"
    case .heard: "hears"
    case .silent: "hears nothing"
    }
  }

  private static func style(_ event: ScanRecord.Event) -> Terminal.Style {
    switch event {
    case .scanning: .plain
    case .heard: .cyan
    case .silent, .scanningFailed: .red
    }
  }

  private func task(_ record: ScanRecord) -> [String] {
    let place =
      switch record.state {
      case .foreground, nil: "in the foreground"
      case .background: "in the background"
      case .screenOff: "with the screen off"
      }
    let services = record.services ?? []
    return [
      record.adapter ?? "", "as an app on iOS \(record.ios ?? 0) \(place)",
      services.isEmpty ? "for any device" : "for \(services.map(Self.title).joined(separator: ", "))",
    ]
  }

  private func rows(_ seen: ScanRecord.Seen, _ record: ScanRecord) -> [String] {
    let android = Self.text(seen.android)
    let bluez = Self.text(seen.bluez)
    let others = android == bluez ? [("Android, BlueZ", android)] : [("Android", android), ("BlueZ", bluez)]
    let notes = (record.remembered == true ? [Self.memory] : []) + (record.doubtfulName == true ? [Self.oldName] : [])
    return ([("iOS", iOS(seen.ios))] + others + notes.map { ("", $0) }).map { label, text in
      TextLayout.spaces(Self.indent) + terminal.styled(TextLayout.padded(label, to: Self.wordWidth), .dim) + "  " + text
    }
  }

  private static let memory = "bluetoothd keeps what it knows of it: what it said before, and all of its services"
  private static let oldName = "the name is likely to be an old one, which bluetoothd keeps in a file"

  private func iOS(_ view: IOSView) -> String {
    switch view.outcome {
    case .discovered(let discovery):
      terminal.styled("finds it", .green) + "  "
        + Self.text(
          discovery.localName, discovery.serviceUUIDs.map { "\($0)" },
          CentralView.ManufacturerData.list(discovery.manufacturerData), Self.matches(discovery.overflowServiceUUIDs))
    case .passedOver(.reported): "has told of it already, and does so once"
    case .passedOver(let reason): terminal.styled("does not find it", .yellow) + ": \(Self.reason(reason))"
    }
  }

  /// One for each bit.
  private static func matches(_ matches: [OverflowMatch]) -> [String] {
    Dictionary(grouping: matches, by: \.bit).sorted { $0.key < $1.key }.map { bit, matches in
      let uuids = Quote.list(matches.map { title("\($0.uuid)") })
      return "\(uuids) by bit \(bit), which another UUID may have set"
    }
  }

  private static func reason(_ reason: PassedOver) -> String {
    switch reason {
    case .notScanning: "no scan is under way"
    case .betweenWindows: "it does not listen all the time"
    case .needsServices: "in the background a scan has to ask for services (--services)"
    case .noSuchService: "none of the services asked for is there"
    case .overflowUnread: "the bit is there, and with the screen off nobody looks at it"
    case .inScanResponse: "it is in the scan response, for which nobody asks in the background"
    case .reported: "it has told of it already"
    }
  }

  private static func text(_ view: CentralView) -> String {
    text(view.name, view.serviceUUIDs.map { "\($0)" }, view.manufacturerData ?? [])
  }

  private static func text(
    _ name: String?, _ uuids: [String], _ data: [CentralView.ManufacturerData], _ matches: [String] = []
  ) -> String {
    let services = uuids.map(title) + matches
    let parts =
      [name.map { Quote.text($0) } ?? "no name", services.isEmpty ? "no services" : services.joined(separator: ", ")]
      + data.map { "manufacturer data \($0.company) \($0.data)" }
    return parts.joined(separator: "  ")
  }

  private static func bits(_ bits: [Int]) -> String {
    guard !bits.isEmpty else { return "empty" }
    return "\(bits.count == 1 ? "bit" : "bits") \(bits.map { "\($0)" }.joined(separator: ", "))"
  }

  private static func title(_ uuid: String) -> String {
    BluetoothUUID(uuid)?.assignedName.map { "\(uuid) \($0)" } ?? uuid
  }
}
