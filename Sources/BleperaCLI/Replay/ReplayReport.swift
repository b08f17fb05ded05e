import BleperaAppLink
import BleperaRecording
import BleperaSimulation

/// The result of replaying a trace.
struct ReplayReport: CommandReport {
  /// The path of the trace.
  let path: String
  let trace: TraceFile
  let script: ReplayScript
  let difference: ReplayDifference?

  /// The number of trace lines shown before and after the difference.
  private static let around = 3

  /// In whole milliseconds.
  private var seconds: Double { (script.length / .milliseconds(1)).rounded() / 1000 }

  /// What live in real time are not played again: simulated centrals take their places.
  private var hosts: [Host] {
    let hosts = Set(
      trace.lines.filter { $0.record.event == .hostAttached }.compactMap { line in
        line.record.text(.host).map { Host(host: $0, capture: line.record.text(.capture)) }
      })
    return hosts.sorted { $0.host < $1.host }
  }

  private struct Host: Hashable, Encodable {
    let host: String
    /// The file that has its packets.
    let capture: String?
  }

  private var hostLines: [String] {
    let hosts = hosts.map { $0.host + ($0.capture.map { ", packets in \(Quote.line($0))" } ?? "") }
    guard !hosts.isEmpty else { return [] }
    return ["\(path): hosts outside took part, at \(hosts.joined(separator: " ")); no run is like another"]
  }

  func lines(for terminal: Terminal) -> [String] { hostLines + result(for: terminal) }

  private func result(for terminal: Terminal) -> [String] {
    guard let difference else {
      return ["\(path): \(trace.lines.count) events in \(seconds) s, no difference"]
    }
    let title = terminal.styled("\(path):\(difference.line): the replay diverges from the trace", .bold)
    let why = difference.note.map { ["  \($0)"] } ?? []
    return [title] + why + account(of: difference, terminal)
  }

  private func account(of difference: ReplayDifference, _ terminal: Terminal) -> [String] {
    let origins = EventOrigin.phones(trace.header.phones.map { $0.name ?? "" })
    let width = "\(trace.lines.last?.number ?? 1)".count
    func line(_ mark: String, _ number: Int?, _ record: EventRecord, _ time: Timestamp, phone: Int) -> String {
      let number = number.map { "\($0)" } ?? ""
      let start = "\(mark) \(TextLayout.spaces(width - number.count))\(number)  "
      let style: Terminal.Style = mark == "-" ? .red : mark == "+" ? .green : .plain
      return terminal.styled(start, style)
        + origins[phone].line(EventPrinter.text(record, at: time, on: terminal), on: terminal)
    }
    let place = trace.lines.lastIndex { $0.number <= difference.line } ?? 0
    let shown = trace.lines.indices.filter { abs($0 - place) <= Self.around }
    var lines: [String] = []
    for index in shown {
      let row = trace.lines[index]
      let phone = trace.header.phones.firstIndex { $0.name == row.record.phone } ?? 0
      let isExpected = difference.expected?.line == row.number
      lines.append(line(isExpected ? "-" : " ", row.number, row.record, row.time, phone: phone))
      if index == place, let actual = difference.actual {
        lines.append(line("+", nil, actual.record, time(of: actual), phone: actual.phone))
      }
    }
    return lines
  }

  /// The time of a replayed event in the time of the trace.
  private func time(of entry: TraceEntry) -> Timestamp {
    Timestamp(sinceEpoch: (trace.lines.first?.time.sinceEpoch ?? .zero) + entry.time)
  }
}

extension ReplayReport: Encodable {
  private enum CodingKeys: CodingKey {
    case events, hosts, seconds, difference
  }

  private enum DifferenceKeys: CodingKey {
    case line, expected, actual, reason
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(trace.lines.count, forKey: .events)
    if !hosts.isEmpty { try container.encode(hosts, forKey: .hosts) }
    try container.encode(seconds, forKey: .seconds)
    guard let difference else { return }
    var nested = container.nestedContainer(keyedBy: DifferenceKeys.self, forKey: .difference)
    try nested.encode(difference.line, forKey: .line)
    try nested.encodeIfPresent(difference.expected?.record, forKey: .expected)
    let now = difference.actual.map { actual in
      var record = actual.record
      record.time = time(of: actual).date
      record.phone = trace.header.phones[actual.phone].name
      return record
    }
    try nested.encodeIfPresent(now, forKey: .actual)
    try nested.encodeIfPresent(difference.note, forKey: .reason)
  }
}
