package import BleperaAppLink
import BleperaPhone
package import BleperaRecording
package import BleperaSessions
import Synchronization

/// Collects events beside their output, for a report.
package protocol EventCollector: Sendable {
  func begin(_ header: TraceHeader)
  func add(_ record: EventRecord, at time: Timestamp)
}

/// Prints and records events as they happen.
package struct EventPrinter: Sendable {
  private let terminal: Terminal
  let isJSON: Bool

  /// Whether events are recorded and not printed.
  private let isQuiet: Bool
  private let recorder: TraceWriter?
  private let collector: (any EventCollector)?

  package init(
    isJSON: Bool, stream: Terminal.Stream = .output, isQuiet: Bool = false, recorder: TraceWriter? = nil,
    collector: (any EventCollector)? = nil
  ) {
    self.collector = collector
    self.isJSON = isJSON
    self.isQuiet = isQuiet || stream.isDiscarded
    self.recorder = recorder
    terminal = Terminal(stream)
    OutputQueues.begin(.output, isJSON: isJSON && stream == .output)
    OutputQueues.begin(.error, isJSON: isJSON && stream == .error)
  }

  /// The event as a line for the terminal, not broken.
  static func text(_ record: EventRecord, at time: Timestamp, on terminal: Terminal) -> String {
    text(EventText(record, at: time), on: terminal)
  }

  private static func text(_ text: EventText, on terminal: Terminal) -> String {
    // Plain lines do not need the kind, whose lookup is slow.
    let kind = terminal.hasColor ? EventRecord.Kind(rawValue: text.event) : nil
    return line(at: text.time, text.label, kind?.format.style.color ?? .plain, text.details, on: terminal)
  }

  /// The width of the longest label, `not advertised`.
  private static let labelWidth = 14
  private static let blanks = (0...labelWidth + 2).map(TextLayout.spaces)

  /// A line of an event: time, label and details.
  package static func line(
    at time: Timestamp, _ label: String, _ style: Terminal.Style, _ details: String, on terminal: Terminal
  ) -> String {
    var line = ""
    line.reserveCapacity(64 + details.utf8.count)
    line += terminal.styled(time.clock, .dim)
    line += "  "
    line += terminal.styled(label, style)
    guard !details.isEmpty else { return line }
    // Labels are ASCII, so that bytes and columns are equal.
    line += blanks[max(0, labelWidth - label.utf8.count) + 2]
    line += details
    return line
  }

  /// Whether events are only printed as text. A phone in another process then sends them as text, which is faster.
  var onlyPrints: Bool { !isJSON && recorder == nil && collector == nil }

  /// Whether nobody reads the events.
  var isSilent: Bool { isQuiet && recorder == nil && collector == nil }

  /// Waits until the last line is written, for a second at most. Must be called before the process ends.
  ///
  /// - Returns: the deadline for the other files of the command.
  @discardableResult
  package func finish() -> ContinuousClock.Instant {
    let deadline = OutputQueues.finish()
    recorder?.flush(until: deadline)
    return deadline
  }

  /// Begins the output, before every event.
  func begin(_ header: TraceHeader? = nil) {
    if var header {
      header.blepera = Release.version
      recorder?.begin(header)
      collector?.begin(header)
    }
    guard isJSON, !isQuiet else { return }
    var record = EventRecord.started(blepera: Release.version)
    record.time = Timestamp.now.date
    terminal.print(record.json)
  }

  /// Returns an observer that prints the events of a session.
  ///
  /// - Parameters:
  ///   - hasCentral: whether the session has a simulated central, whose lines are distinguished from the phone's.
  ///   - firstPhoneAdapter: the number of the first phone's adapter, in a lab; nil elsewhere.
  package func observer(hasCentral: Bool = false, firstPhoneAdapter: Int? = nil) -> SessionObserver {
    let isLab = firstPhoneAdapter != nil
    let origins = Origins(hasCentral ? [.phone] : [.onlyPhone])
    return { event in
      switch event {
      case .began(let header): begin(header)
      case .phone(let event, let app, let number):
        if !isSilent { print(EventRecord(event, of: app), at: .now, from: origins[number]) }
      // The record has the time at which the phone reported the event.
      case .record(let record):
        let time = record.time.isEmpty ? nil : Timestamp(date: record.time)
        print(record, at: time ?? .now, from: origins[0])
      case .accessory(let record, let name): print(record, at: .now, from: .accessory(name))
      case .lines(let lines): print(lines)
      case .phoneStarted(let name, let process, let log):
        note("The phone '\(name)' has started (process \(process), log \(log)).", on: .error)
      case .phoneRestarting: note("The phone has ended unexpectedly; restarting it.", on: .error)
      case .note(let text): note(text, on: .error)
      case .phonesNamed(let names):
        origins.set(EventOrigin.phones(names))
        let list = names.enumerated().map { "\($1) on hci\((firstPhoneAdapter ?? 0) + $0)" }.joined(separator: ", ")
        if !isJSON, !isQuiet, !names.isEmpty { terminal.print(terminal.styled("phones: \(list)", .dim)) }
      case .serving: hint("Serving; Ctrl-C quits\(KeyReader.isAvailable ? ", ? lists the keys" : "").")
      case .host(let record): print(record, at: .now)
      case .hint(let text): hint(text)
      case .ready(let settings):
        let export = "export " + settings.map { "\($0.name)='\($0.value)'" }.joined(separator: " ")
        if isLab {
          Terminal(.output).print(export)
          hint("Paste this line into other terminals, which are then in the lab; Ctrl-C ends it.")
        } else if !isJSON {
          note("To use it from other terminals: \(export)", on: .error)
        }
      case .failed(let reason): CommandFailure.report(reason)
      }
    }
  }

  func print(_ record: EventRecord, at time: Timestamp, from origin: EventOrigin = .onlyPhone) {
    if !isJSON, !isQuiet, record.event.isShown {
      printFolded([Self.text(record, at: time, on: terminal)], from: origin)
    }
    guard isJSON && !isQuiet || recorder != nil || collector != nil else { return }
    var record = record
    record.time = time.date
    record.side = origin.side
    record.phone = origin.phone
    if origin.side != EventOrigin.accessorySide { collector?.add(record, at: time) }
    if isJSON && !isQuiet || recorder != nil { write(record.json) }
  }

  /// Prints events of a phone in another process.
  func print(_ events: [EventText]) {
    guard !isQuiet else { return }
    printFolded(events.map { Self.text($0, on: terminal) }, from: .onlyPhone)
  }

  /// Prints lines with their prefix, wrapped at the terminal's width; wrapped lines begin below the details.
  private func printFolded(_ texts: [String], from origin: EventOrigin) {
    let lines = texts.map { origin.line($0, on: terminal) }
    guard terminal.isTerminal else { return terminal.print(lines) }
    let indent = (origin.linePrefix.map { TextLayout.width($0) + 3 } ?? 0) + Self.detailColumn
    let broken = lines.map { TextLayout.folded(terminal.escaped($0), to: terminal.columns, indent: indent) + "\n" }
    terminal.write(Array(broken.joined().utf8), count: lines.count)
  }

  /// The column of the details, after the time and the label.
  private static let detailColumn = 30

  private func write(_ json: String) {
    if isJSON, !isQuiet { terminal.print(json) }
    recorder?.write(json)
  }

  /// Prints an event that does not belong to a phone, as a line or as JSON.
  package func print(json: String, from origin: EventOrigin, _ line: (Terminal) -> String) {
    if !isJSON, !isQuiet { printFolded([line(terminal)], from: origin) }
    write(json)
  }

  /// Prints a line for a person at a terminal.
  func hint(_ text: String) {
    guard !isJSON, !isQuiet, terminal.isTerminal else { return }
    terminal.print(terminal.styled(text, .dim))
  }

  func note(_ text: String, on stream: Terminal.Stream) {
    let terminal = Terminal(stream)
    terminal.print(terminal.styled(text, .dim))
  }
}

/// The origin of the events of each phone.
private final class Origins: Sendable {
  private let list: Mutex<[EventOrigin]>

  init(_ list: [EventOrigin]) { self.list = Mutex(list) }

  func set(_ list: [EventOrigin]) { self.list.withLock { $0 = list } }

  subscript(number: Int) -> EventOrigin { list.withLock { $0.indices.contains(number) ? $0[number] : .onlyPhone } }
}

/// The device that reports an event, if several do.
package struct EventOrigin: Equatable, Sendable {
  static let accessorySide = "accessory"

  /// `phone`, `central` or `accessory` in JSON; nil without a simulated central.
  var side: String?
  /// The phone's or accessory's name in JSON; nil outside a lab.
  var phone: String?
  /// The text before each line; nil for none.
  var linePrefix: String?
  var style = Terminal.Style.plain

  static let onlyPhone = EventOrigin()

  /// The devices of `serve --virtual`.
  static let phone = EventOrigin(side: "phone", linePrefix: "phone  ", style: .cyan)
  package static let central = EventOrigin(side: "central", linePrefix: "central", style: .magenta)

  /// An accessory of a lab.
  static func accessory(_ name: String) -> EventOrigin {
    EventOrigin(side: accessorySide, phone: name, linePrefix: name, style: .blue)
  }

  /// The colors of phones, repeated.
  private static let styles: [Terminal.Style] = [.cyan, .magenta, .green, .yellow, .blue]

  /// The origins of the phones of a lab; a single phone needs no prefix.
  static func phones(_ names: [String]) -> [EventOrigin] {
    let width = names.map(\.count).max() ?? 0
    return names.enumerated().map { number, name in
      guard names.count > 1 else { return EventOrigin(phone: name) }
      return EventOrigin(
        phone: name, linePrefix: TextLayout.padded(name, to: width), style: styles[number % styles.count])
    }
  }

  /// The line with its prefix.
  func line(_ text: String, on terminal: Terminal) -> String {
    linePrefix.map { "\(terminal.styled("\($0) \(terminal.drawn("│"))", style)) \(text)" } ?? text
  }
}

extension EventRecord.Kind.Style {
  fileprivate var color: Terminal.Style {
    switch self {
    case .plain: .plain
    case .success: .green
    case .warning, .request: .yellow
    case .failure: .red
    case .connection: .cyan
    case .subscription: .blue
    case .value: .magenta
    case .emphasis: .bold
    }
  }
}
