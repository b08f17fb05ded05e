import System

/// Prints events as they happen.
struct EventPrinter: Sendable {
  private let terminal: Terminal
  let isJSON: Bool

  init(isJSON: Bool, stream: Terminal.Stream = .output) {
    self.isJSON = isJSON
    terminal = Terminal(stream)
  }

  func print(_ event: SystemEvent) {
    let now = Timestamp.now
    print(EventRecord(event), at: now)
  }

  func print(_ record: EventRecord, at time: Timestamp) {
    guard isJSON else { return terminal.print(EventText(terminal: terminal).line(record, at: time)) }
    var record = record
    record.time = time.date
    terminal.print(record.json)
  }

  /// For a person only.
  func hint(_ text: String) {
    guard !isJSON, terminal.isTerminal else { return }
    terminal.print(terminal.styled(text, .dim))
  }
}
