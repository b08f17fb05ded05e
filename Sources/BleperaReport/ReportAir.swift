import BleperaAppLink
import BleperaBluetooth

/// What a phone has on the air after an event.
struct ReportAir: Encodable, Equatable {
  let name: String?
  let uuids: [String]
  /// `foreground` or `background`.
  let kind: String?
  /// `every 181.25 ms`.
  let interval: String?
  /// Whether the radio applies the interval.
  let isHonored: Bool?
  /// Empty in older traces.
  let packets: [Packet]
  /// The 16 bytes in the order on the air; nil without an overflow area.
  let mask: String?
  let overflow: [Bit]
  let reasons: [String]

  struct Packet: Encodable, Equatable {
    let title: String
    let content: PacketReport
  }

  /// A bit that is set, and the UUIDs that set it.
  struct Bit: Encodable, Equatable {
    let bit: Int
    let uuids: [String]
  }

  init(_ record: EventRecord) {
    name = record.localName
    uuids = (record.serviceUUIDs ?? []).map(ReportText.uuid)
    kind = record.intervalKind
    interval = record.interval.map(ReportText.interval)
    isHonored = record.intervalHonored
    reasons = record.reasons ?? []
    let data = [("Advertisement", record.advertisingData), ("Scan response", record.scanResponse)].map { title, hex in
      (title, AdvertisingData(leniently: hex.flatMap { Hex.bytes($0) } ?? []))
    }
    packets =
      record.advertisingData == nil ? [] : data.map { Packet(title: $0, content: PacketReport($1)) }
    let known = (record.overflowServiceUUIDs ?? []).map { text in (text, BluetoothUUID(text)) }
    let requested = OverflowArea(known.compactMap { $1 })
    let area = requested.union(OverflowArea(in: data.flatMap(\.1.structures)) ?? OverflowArea())
    mask = area.isEmpty ? nil : Hex.string(area.bytes)
    overflow = area.bits.map { bit in
      Bit(
        bit: bit,
        uuids: known.filter { $1.map { OverflowArea.bit(of: $0) } == bit }.map { ReportText.uuid($0.0) })
    }
  }
}

/// Formats values for the page.
enum ReportText {
  /// `180D Heart Rate`.
  static func uuid(_ text: String) -> String {
    BluetoothUUID(text)?.assignedName.map { "\(text) \($0)" } ?? text
  }

  static func interval(_ interval: EventRecord.Interval) -> String {
    let (minimum, maximum) = (Quote.number(interval.minimum), Quote.number(interval.maximum))
    return "every \(minimum == maximum ? minimum : "\(minimum) to \(maximum)") ms"
  }
}
