package import BleperaAppLink
import FoundationEssentials

extension TraceFile {
  /// An event of the central of `serve --virtual`; docs/schema/central-event.json describes its keys.
  package struct CentralLine: Hashable, Sendable {
    package let number: Int
    package let time: Timestamp
    package let record: Record

    package struct Record: Decodable, Hashable, Sendable {
      package let time: String
      package let event: String
      package let peripheral: String?
      package let localName: String?
      package let serviceUUIDs: [String]?
      package let overflowBits: [Int]?
      /// In dBm.
      package let rssi: Int?
      package let service: String?
      package let characteristic: String?
      /// Hexadecimal digits.
      package let value: String?
      package let reason: String?
    }

    /// Nil for anything but an event with a valid time.
    init?(number: Int, json: [UInt8]) {
      guard let record = try? JSONDecoder().decode(Record.self, from: Data(json)),
        let time = Timestamp(date: record.time)
      else { return nil }
      (self.number, self.time, self.record) = (number, time, record)
    }
  }
}
