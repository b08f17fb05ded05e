import BleperaPropertyLists

@testable import BleperaCLI

extension Terminal {
  static let plain = Terminal(.output, isTerminal: false) { _ in nil }
}

/// Requires the properties that all diagnostics have, and formats the diagnostics.
func requireOrder(of diagnostics: [Diagnostic]) {
  for diagnostic in diagnostics {
    require(diagnostic.line >= 1 && diagnostic.column >= 1, "a position counts from 1")
    let line = DiagnosticText(terminal: .plain).line(diagnostic)
    require(!line.utf8.contains { $0 < 0x20 }, "a diagnostic is one line without control characters")
  }
  let places = diagnostics.map { ($0.line, $0.column) }
  require(zip(places, places.dropFirst()).allSatisfy { $0 <= $1 }, "diagnostics are sorted by position")
}
