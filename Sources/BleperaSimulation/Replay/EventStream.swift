package import BleperaAppLink
package import BleperaBluetooth
import BleperaRecording

/// An event of a trace or of its replay.
package struct TraceEntry: Hashable, Sendable {
  /// The line of the trace; nil in a replay.
  package var line: Int?
  /// The time since the trace's first event.
  package let time: Duration
  /// The index of the phone in the header.
  package var phone = 0
  package let record: EventRecord
  /// Further accepted values: those of shortly before and after this entry.
  package var alternatives: Set<[UInt8]> = []
}

/// Events whose order is compared; events of different streams may occur in any order.
enum EventStream: Hashable {
  case radio(phone: Int)
  case air(phone: Int)
  case app(phone: Int, String)
  case publishing(phone: Int, String)
  case central(phone: Int, String)
  case values(ValueKey)

  /// Nil for an event that is not compared.
  init?(_ entry: TraceEntry) {
    let (record, phone) = (entry.record, entry.phone)
    switch record.event.format.stream {
    case .radio: self = .radio(phone: phone)
    case .advertising: self = .air(phone: phone)
    case .publishing: self = .publishing(phone: phone, record.app ?? "")
    case .app: self = .app(phone: phone, record.app ?? "")
    case .central: self = .central(phone: phone, record.text(.central) ?? "")
    case .value: self = .values(ValueKey(entry))
    case nil: return nil
    }
  }
}

extension EventStream {
  /// Whether timers, and not only centrals, cause events of the stream.
  var advancesByItself: Bool {
    switch self {
    case .app, .values: true
    case .radio, .air, .publishing, .central: false
    }
  }
}

/// A characteristic whose values are notified.
package struct ValueKey: Hashable, Sendable {
  package let phone: Int
  package let app: String
  package let service: BluetoothUUID?
  package let characteristic: BluetoothUUID?
}

extension ValueKey {
  init(_ entry: TraceEntry) {
    self.init(
      phone: entry.phone, app: entry.record.app ?? "", service: entry.record.uuid(.service),
      characteristic: entry.record.uuid(.characteristic))
  }
}

extension TraceEntry {
  /// The part of the event that is compared.
  var comparisonKey: EventRecord {
    var record = record
    record.time = ""
    record.side = nil
    record.phone = nil
    for key in EventKey.uncompared + (record.event == .advertising ? [.reasons] : []) { record[key] = nil }
    // The handles of a service depend on what was published before.
    if let handles = record.handles, handles.count == 2 { record[.handles] = .numbers([handles[1] - handles[0]]) }
    if [.noAdapter, .noDaemon].contains(record.event) { record.event = .poweredOff }
    return record
  }

  /// - Parameter actual: The event of the replay, with its alternatives.
  func matches(_ actual: TraceEntry) -> Bool {
    if comparisonKey == actual.comparisonKey { return true }
    guard let value = record.bytes(.value), actual.alternatives.contains(value) else { return false }
    var other = actual.comparisonKey
    other[.value] = .bytes(value)
    return comparisonKey == other
  }
}
