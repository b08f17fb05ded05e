import BleperaAppLink
import BleperaBluetooth
import BleperaPropertyLists
import BleperaRules
import BleperaSessions

/// Formats an event of a scan: a line with the time, followed by a row for each kind of central.
struct ScanText {
  let terminal: Terminal

  private static let wordWidth = 14
  /// The width of the time and two spaces.
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
    return [head] + (record.views.map { rows($0, record) } ?? [])
  }

  private static func word(_ event: ScanRecord.Kind) -> String {
    switch event {
    case .started, .scanning: "scanning"
    case .scanningFailed: "cannot scan"
    case .discovered: "discovered"
    case .lost: "lost"
    }
  }

  private static func style(_ event: ScanRecord.Kind) -> Terminal.Style {
    switch event {
    case .started, .scanning: .plain
    case .discovered: .cyan
    case .lost, .scanningFailed: .red
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
      record.adapter ?? "",
      "as an app on iOS \(record.ios ?? 0) \(place)\(record.liveActivity == true ? " with a Live Activity" : "")",
      services.isEmpty ? "for any device" : "for \(services.map(Self.title).joined(separator: ", "))",
    ]
  }

  private func rows(_ views: ScanRecord.Views, _ record: ScanRecord) -> [String] {
    let android = Self.text(views.android)
    let noted = views.android16 != nil || (record.overflowBits ?? []).isEmpty ? [] : [("Android 16", Self.joinedNote)]
    let joined = views.android16.map { [("Android 16", Self.text($0))] }?.filter { $0.1 != android } ?? noted
    let bluez = views.bluez.map(Self.text)
    let others =
      android == bluez
      ? [("Android, BlueZ", android)] + joined
      : [("Android", android)] + joined + (bluez.map { [("BlueZ", $0)] } ?? [])
    let notes =
      (record.merged == true ? [Self.mergedNote] : []) + (record.nameMayBeCached == true ? [Self.cachedNameNote] : [])
    return ([("iOS", iOS(views.ios))] + others + notes.map { ("", $0) }).map { label, text in
      TextLayout.spaces(Self.indent) + terminal.styled(TextLayout.padded(label, to: Self.wordWidth), .dim) + "  " + text
    }
  }

  private static let joinedNote =
    "the same behind Apple's data of the advertisement, if any, which BlueZ does not report"
  private static let mergedNote = "bluetoothd merges earlier data of this device, including all of its services"
  private static let cachedNameNote = "the name may be an old one from bluetoothd's cache"

  private func iOS(_ view: IOSView) -> String {
    switch view.outcome {
    case .discovered(let discovery):
      terminal.styled("discovered", .green) + "  "
        + Self.text(
          discovery.localName, discovery.serviceUUIDs.map { "\($0)" },
          CentralView.ManufacturerData.list(discovery.manufacturerData), Self.matches(discovery.overflowServiceUUIDs))
    case .ignored(.reported): "already reported; a scan reports each device once"
    case .ignored(let reason): terminal.styled("not discovered", .yellow) + ": \(Self.reason(reason))"
    }
  }

  /// A phrase for each bit, with the UUIDs that match.
  private static func matches(_ matches: [OverflowMatch]) -> [String] {
    Dictionary(grouping: matches, by: \.bit).sorted { $0.key < $1.key }.map { bit, matches in
      let uuids = Quote.list(matches.map { title("\($0.uuid)") })
      return "\(uuids) by bit \(bit), which another UUID may have set"
    }
  }

  private static func reason(_ reason: IgnoreReason) -> String {
    switch reason {
    case .notScanning: "no scan is in progress"
    case .betweenWindows: "outside the scan window"
    case .needsServices: "a scan in the background requires services (--services)"
    case .noSuchService: "none of the requested services is advertised"
    case .overflowUnread: "the bit is set, but the overflow area is not read while the screen is off"
    case .inScanResponse: "the service is in the scan response, which a scan in the background does not receive"
    case .reported: "already reported"
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
