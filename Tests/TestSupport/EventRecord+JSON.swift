package import BleperaAppLink

extension EventRecord {
  /// Reads a line of JSON; nil if the line is no event.
  package init?(json: [UInt8]) {
    guard let record = try? JSONLine.decode(EventRecord.self, json) else { return nil }
    self = record
  }
}
