import EventTrace
import System

/// Prints events as they happen.
struct EventPrinter: Sendable {
  private let terminal: Terminal
  let isJSON: Bool

  /// Nothing is printed; what is recorded is.
  private let isQuiet: Bool
  /// Nil where nothing is recorded.
  private let recorder: TraceWriter?

  init(isJSON: Bool, stream: Terminal.Stream = .output, isQuiet: Bool = false, recorder: TraceWriter? = nil) {
    self.isJSON = isJSON
    self.isQuiet = isQuiet
    self.recorder = recorder
    terminal = Terminal(stream)
  }

  /// Comes before every event.
  func begin(_ header: @autoclosure () -> TraceHeader) { recorder?.begin(header()) }

  /// - Parameter app: the bundle identifier of the app that it is of; nil where it is the phone's.
  func print(_ event: SystemEvent, of app: String?, by speaker: Speaker = .alone) {
    let now = Timestamp.now
    print(EventRecord(event, of: app), at: now, by: speaker)
  }

  func print(_ record: EventRecord, at time: Timestamp, by speaker: Speaker = .alone) {
    if !isJSON, !isQuiet, !record.isSeenByItsEffect {
      terminal.print(speaker.line(EventText(terminal: terminal).line(record, at: time), on: terminal))
    }
    guard isJSON && !isQuiet || recorder != nil else { return }
    var record = record
    record.time = time.date
    record.side = speaker.side
    record.phone = speaker.phone
    write(record.json)
  }

  private func write(_ json: String) {
    if isJSON, !isQuiet { terminal.print(json) }
    recorder?.write(json)
  }

  func print(_ record: CentralRecord) {
    let now = Timestamp.now
    if !isJSON, !isQuiet {
      terminal.print(Speaker.central.line(CentralText(terminal: terminal).line(record, at: now), on: terminal))
    }
    var record = record
    record.time = now.date
    write(record.json)
  }

  /// For a person only.
  func hint(_ text: String) {
    guard !isJSON, !isQuiet, terminal.isTerminal else { return }
    terminal.print(terminal.styled(text, .dim))
  }

  /// For whoever reads the text, a person or not.
  func note(_ text: String) {
    guard !isJSON, !isQuiet else { return }
    terminal.print(terminal.styled(text, .dim))
  }
}

extension EventRecord {
  /// A person who has asked for it knows, and others see what comes of it.
  fileprivate var isSeenByItsEffect: Bool { event == "asked" }
}
