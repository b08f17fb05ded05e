import FoundationEssentials

/// A trace that was read.
package struct TraceFile: Hashable, Sendable {
  package struct Line: Hashable, Sendable {
    /// From 1, which is the header.
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
  /// The phones' events, in their order; what a central of `serve --virtual` has told is left out.
  package var lines: [Line]
  /// The number of a last line that is cut off, as by a full disk, and left out; nil where there is none.
  package var cutLine: Int?

  package init(header: TraceHeader, lines: [Line], cutLine: Int? = nil) {
    self.header = header
    self.lines = lines
    self.cutLine = cutLine
  }

  /// - Throws: `TraceFault` at the first line that is none of a trace.
  package init(_ bytes: [UInt8]) throws(TraceFault) {
    var rows = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // What follows the last line feed is no line, or one that was not written to its end.
    let remainder = rows.removeLast()
    guard let first = rows.first else {
      throw TraceFault(line: nil, bytes.isEmpty ? "is empty, and no trace" : "is no trace")
    }
    header = try Self.header(first)
    lines = []
    let phones = header.phones.map(\.name)
    for (index, row) in rows.enumerated().dropFirst() {
      let number = index + 1
      guard let sender = try? JSONDecoder().decode(Sender.self, from: Data(row)) else {
        throw TraceFault(line: number, "is no event: a line of a trace is a JSON object with 'event' and 'time'")
      }
      if sender.side == "central" { continue }
      guard EventRecord.names.contains(sender.event) else {
        throw TraceFault(line: number, "there is no event '\(sender.event)'")
      }
      guard let record = EventRecord(json: Array(row)) else {
        throw TraceFault(line: number, "is no event '\(sender.event)': one of its keys has a value of another kind")
      }
      guard let time = Timestamp(date: record.time) else {
        throw TraceFault(line: number, "the time '\(record.time)' is none; it looks like 2026-11-21T14:03:59.042Z")
      }
      guard phones.contains(record.phone) else {
        let reason = record.phone.map { "the first line names no phone '\($0)'" } ?? "it does not say of which phone"
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
      throw TraceFault(line: 1, "is no trace: the first line of one has the key 'trace'; make one with --record")
    }
    guard version.trace == TraceHeader.currentVersion else {
      throw TraceFault(
        line: 1, "is a trace of version \(version.trace); this blepera reads version \(TraceHeader.currentVersion)")
    }
    guard let header = try? JSONDecoder().decode(TraceHeader.self, from: Data(line)) else {
      throw TraceFault(
        line: 1,
        "one of the keys of a trace is missing, or has a value of another kind: time, command, ios, launch, "
          + "seed, phones")
    }
    guard !header.phones.isEmpty else { throw TraceFault(line: 1, "is of no phone, so there is nothing to play") }
    return header
  }
}
