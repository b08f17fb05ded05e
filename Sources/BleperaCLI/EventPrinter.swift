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
    var record = EventRecord(event)
    if isJSON {
      record.time = now.date
      terminal.print(record.json)
    } else {
      terminal.print(EventText(terminal: terminal).line(record, at: now))
    }
  }

  /// For a person only.
  func hint(_ text: String) {
    guard !isJSON, terminal.isTerminal else { return }
    terminal.print(terminal.styled(text, .dim))
  }
}
