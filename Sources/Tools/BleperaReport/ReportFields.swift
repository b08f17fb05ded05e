import BleperaAppLink
import BleperaBluetooth
import BleperaRecording

extension EventRecord {
  /// The fields of the event that the page lists, as pairs of name and value.
  var reportFields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    func add(_ name: String, _ value: String?) { if let value { fields.append((name, value)) } }
    add("App", app)
    add("State", text(.state))
    add("Reason", text(.reason))
    add("Service", uuid(.service).map(ReportText.uuid))
    add("Characteristic", uuid(.characteristic).map(ReportText.uuid))
    add("Descriptor", uuid(.descriptor).map(ReportText.uuid))
    add("Handles", handles?.map { "0x" + String($0, radix: 16, uppercase: true) }.joined(separator: " to "))
    add("Central", text(.central))
    add("Centrals", texts(.centrals)?.joined(separator: " "))
    add("Value", bytes(.value).map { Hex.string($0) })
    add("From byte", number(.offset).flatMap { $0 > 0 ? "\($0)" : nil })
    if let piece = number(.piece), let pieces = number(.pieces) { add("Piece", "\(piece) of \(pieces)") }
    add("Refused", error.map { error in error.name.map { "\($0) (\(error.rawValue))" } ?? "\(error.rawValue)" })
    add("Answered by", flag(.cached).map { $0 ? "the system, with the cached value" : "the app" })
    add("Response", flag(.acknowledged).map { $0 ? "yes" : "none is sent" })
    add("Response time", responseTime.map { "\(Int($0 / .milliseconds(1))) ms" })
    add("Queued event", text(.pendingEvent))
    add("Command", text(.command))
    add("Method", text(.method))
    add("Passkey", text(.passkey))
    if event == .restored { add("Services", texts(.serviceUUIDs)?.map(ReportText.uuid).joined(separator: ", ")) }
    add("Awaited subscriptions", number(.awaitedSubscriptions).map { "\($0)" })
    add("Kept since", text(.preservedSince))
    if flag(.screenLocked) == true { add("Screen", "off") }
    add("Missing events", number(.count).map { "\($0)" })
    add("Adapter", text(.adapter))
    if event != .advertising { add("Details", texts(.reasons)?.joined(separator: "; ")) }
    return fields
  }

  /// Whether a request was refused.
  var isRefused: Bool { error != nil }
}

extension TraceFile.CentralLine.Record {
  var category: ReportCategory {
    switch event {
    case "connecting", "disconnecting", "found", "subscribing", "unsubscribing": .link
    case "read", "written": .request
    case "received": .value
    case "failed", "scanningFailed": .problem
    default: .air
    }
  }

  var reportFields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    func add(_ name: String, _ value: String?) { if let value { fields.append((name, value)) } }
    add("Peripheral", peripheral)
    add("Local name", localName)
    add("Services", serviceUUIDs.flatMap { $0.isEmpty ? nil : $0.map(ReportText.uuid).joined(separator: ", ") })
    add("Overflow bits", overflowBits?.map { "\($0)" }.joined(separator: ", "))
    add("Signal", rssi.map { "\($0) dBm" })
    add("Service", service.map(ReportText.uuid))
    add("Characteristic", characteristic.map(ReportText.uuid))
    add("Value", value)
    add("Reason", reason)
    return fields
  }

  /// The fields in a line, without their names.
  var details: String {
    let parts = reportFields.filter { characteristic == nil || $0.name != "Service" }.map { field in
      switch field.name {
      case "Overflow bits": "overflow bits \(field.value)"
      case "Value": Hex.bytes(field.value).map { Hex.string($0, separator: " ") } ?? field.value
      default: field.value
      }
    }
    return parts.joined(separator: "  ")
  }
}
