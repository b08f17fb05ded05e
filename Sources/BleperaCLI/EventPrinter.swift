import System

/// Prints events as they happen.
struct EventPrinter: Sendable {
  private let terminal: Terminal
  let isJSON: Bool

  init(isJSON: Bool, stream: Terminal.Stream = .output) {
    self.isJSON = isJSON
    terminal = Terminal(stream)
  }

  func print(_ event: SystemEvent, of speaker: Speaker = .alone) {
    let now = Timestamp.now
    print(EventRecord(event), at: now, of: speaker)
  }

  func print(_ record: EventRecord, at time: Timestamp, of speaker: Speaker = .alone) {
    guard isJSON else {
      return terminal.print(speaker.line(EventText(terminal: terminal).line(record, at: time), on: terminal))
    }
    var record = record
    record.time = time.date
    record.side = speaker.side
    record.phone = speaker.phone
    terminal.print(record.json)
  }

  func print(_ record: CentralRecord) {
    let now = Timestamp.now
    if isJSON {
      var record = record
      record.time = now.date
      terminal.print(record.json)
    } else {
      terminal.print(Speaker.central.line(CentralText(terminal: terminal).line(record, at: now), on: terminal))
    }
  }

  /// For a person only.
  func hint(_ text: String) {
    guard !isJSON, terminal.isTerminal else { return }
    terminal.print(terminal.styled(text, .dim))
  }

  /// For whoever reads the text, a person or not.
  func note(_ text: String) {
    guard !isJSON else { return }
    terminal.print(terminal.styled(text, .dim))
  }
}
