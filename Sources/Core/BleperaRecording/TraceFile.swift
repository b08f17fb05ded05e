package import BleperaAppLink
import FoundationEssentials

/// A trace read from a file.
package struct TraceFile: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    /// From 1, which is the number of the header.
    package var number: Int
    package var time: Timestamp
    package var record: EventRecord

    package init(number: Int, time: Timestamp, record: EventRecord) {
      self.number = number
      self.time = time
      self.record = record
    }
  }

  package var header: TraceHeader
  /// The phones' events in their order, without those that a simulated central or an accessory reported.
  package var lines: [Line]
  /// The events that a simulated central reported, in their order; those that cannot be read are left out.
  package var centralLines: [CentralLine] = []
  /// The number of a truncated last line, which is skipped; nil where the last line is complete.
  package var cutLine: Int?

  package init(header: TraceHeader, lines: [Line], cutLine: Int? = nil) {
    self.header = header
    self.lines = lines
    self.cutLine = cutLine
  }

  /// - Throws: `TraceFault` at the first line that is not valid.
  package init(_ bytes: [UInt8]) throws(TraceFault) {
    var rows = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // The text after the last line feed is empty or a truncated line.
    let remainder = rows.removeLast()
    guard let first = rows.first else {
      throw TraceFault(line: nil, bytes.isEmpty ? "the file is empty; expected a trace" : "not a trace")
    }
    header = try Self.header(first)
    lines = []
    let phones = header.phones.map(\.name)
    for (index, row) in rows.enumerated().dropFirst() {
      let number = index + 1
      guard let sender = try? JSONDecoder().decode(Sender.self, from: Data(row)) else {
        throw TraceFault(line: number, "not an event; expected a JSON object with 'event' and 'time'")
      }
      if sender.side == "central" {
        if let line = CentralLine(number: number, json: Array(row)) { centralLines.append(line) }
        continue
      }
      if sender.side == "accessory" { continue }
      guard let kind = EventRecord.Kind(rawValue: sender.event) else {
        throw TraceFault(line: number, "unknown event '\(sender.event)'")
      }
      // Output of --json begins with this event.
      if kind == .started { continue }
      let record: EventRecord
      do throws(JSONLine.Fault) { record = try JSONLine.decode(EventRecord.self, Array(row)) } catch {
        throw TraceFault(line: number, "not a valid event '\(sender.event)': \(error.reason)")
      }
      guard let time = Timestamp(date: record.time) else {
        throw TraceFault(
          line: number, "'\(record.time)' is not a valid time; expected a time such as 2026-11-21T14:03:59.042Z")
      }
      guard kind.isOfHost || phones.contains(record.phone) else {
        let reason =
          record.phone.map { "unknown phone '\($0)'; the first line lists the phones" } ?? "the event has no 'phone'"
        throw TraceFault(line: number, reason)
      }
      lines.append(Line(number: number, time: time, record: record))
    }
    cutLine = remainder.isEmpty ? nil : rows.count + 1
  }

  private struct Sender: Decodable {
    let event: String
    let side: String?
  }

  private struct Version: Decodable {
    let trace: Int
  }

  static func isHeader(_ line: some Collection<UInt8>) -> Bool {
    (try? JSONDecoder().decode(Version.self, from: Data(line))) != nil
  }

  private static func header(_ line: some Collection<UInt8>) throws(TraceFault) -> TraceHeader {
    guard let version = try? JSONDecoder().decode(Version.self, from: Data(line)) else {
      throw TraceFault(line: 1, "not a trace: the first line must have the key 'trace'; record a trace with --record")
    }
    guard version.trace == TraceHeader.currentVersion else {
      throw TraceFault(
        line: 1,
        "the trace has version \(version.trace) of the format, and this blepera reads version "
          + "\(TraceHeader.currentVersion); record the trace again")
    }
    guard let header = try? JSONDecoder().decode(TraceHeader.self, from: Data(line)) else {
      throw TraceFault(
        line: 1,
        "a key of the trace is missing or has a value of the wrong type; expected time, command, ios, settings, phones"
      )
    }
    guard !header.phones.isEmpty else { throw TraceFault(line: 1, "the trace has no phones") }
    return header
  }
}
