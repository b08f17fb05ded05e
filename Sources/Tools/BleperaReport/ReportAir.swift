import BleperaAppLink
import BleperaBluetooth

/// The advertisement that a phone has on the air after an event.
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
    name = record.text(.localName)
    uuids = (record.texts(.serviceUUIDs) ?? []).map(ReportText.uuid)
    kind = record.text(.intervalKind)
    interval = record.interval.map { "every \($0) ms" }
    isHonored = record.flag(.intervalHonored)
    reasons = record.texts(.reasons) ?? []
    let data = [("Advertisement", EventKey.advertisingData), ("Scan response", .scanResponse)].map { title, key in
      (title, AdvertisingData(leniently: record.bytes(key) ?? []))
    }
    packets = record[.advertisingData] == nil ? [] : data.map { Packet(title: $0, content: PacketReport($1)) }
    let known = (record.texts(.overflowServiceUUIDs) ?? []).map { text in (text, BluetoothUUID(text)) }
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
  static func uuid(_ uuid: BluetoothUUID) -> String { self.uuid("\(uuid)") }

  static func uuid(_ text: String) -> String {
    BluetoothUUID(text)?.assignedName.map { "\(text) \($0)" } ?? text
  }
}
