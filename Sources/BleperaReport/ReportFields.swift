import BleperaAppLink
import BleperaBluetooth
import BleperaRecording

extension EventRecord {
  /// What the page lists of the event, as pairs of name and value.
  var reportFields: [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    func add(_ name: String, _ value: String?) { if let value { fields.append((name, value)) } }
    add("App", app)
    add("State", state)
    add("Reason", reason)
    add("Service", service.map(ReportText.uuid))
    add("Characteristic", characteristic.map(ReportText.uuid))
    add("Descriptor", descriptor.map(ReportText.uuid))
    if let handles {
      add("Handles", handles.map { "0x" + String($0, radix: 16, uppercase: true) }.joined(separator: " to "))
    }
    add("Central", central)
    add("Centrals", centrals?.joined(separator: " "))
    add("Value", value)
    add("From byte", offset.flatMap { $0 > 0 ? "\($0)" : nil })
    if let piece, let pieces { add("Piece", "\(piece) of \(pieces)") }
    if let error { add("Refused", error.name.map { "\($0) (\(error.code))" } ?? "\(error.code)") }
    if let cached { add("Answered by", cached ? "the system, with the cached value" : "the app") }
    if let acknowledged { add("Response", acknowledged ? "yes" : "none is sent") }
    add("Response time", responseTime.map { "\(Int($0 / .milliseconds(1))) ms" })
    add("Queued event", pendingEvent)
    add("Command", command)
    add("Method", method)
    add("Passkey", passkey)
    if event == .restored { add("Services", serviceUUIDs?.map(ReportText.uuid).joined(separator: ", ")) }
    add("Awaited subscriptions", awaitedSubscriptions.map { "\($0)" })
    add("Kept since", preservedSince)
    if screenLocked == true { add("Screen", "off") }
    add("Missing events", count.map { "\($0)" })
    add("Adapter", adapter)
    if event != .advertising { add("Details", reasons?.joined(separator: "; ")) }
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
