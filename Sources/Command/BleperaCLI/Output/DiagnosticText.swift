import BleperaPropertyLists

/// Formats a diagnostic as compilers do.
struct DiagnosticText {
  let terminal: Terminal

  func line(_ diagnostic: Diagnostic) -> String {
    let text = "\(diagnostic)"
    let place = "\(diagnostic.file):\(diagnostic.line):\(diagnostic.column): "
    let word = "\(diagnostic.severity.rawValue):"
    let style: Terminal.Style =
      switch diagnostic.severity {
      case .error: .red
      case .warning: .yellow
      }
    return place + terminal.styled(word, style) + text.dropFirst((place + word).count)
  }
}
