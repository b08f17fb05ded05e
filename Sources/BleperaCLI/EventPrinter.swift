import System

/// Prints events as they happen.
struct EventPrinter: Sendable {
  private let terminal = Terminal(.output)
  let isJSON: Bool

  init(isJSON: Bool) { self.isJSON = isJSON }

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
