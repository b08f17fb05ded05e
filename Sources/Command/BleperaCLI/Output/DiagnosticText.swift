package import BleperaPropertyLists

/// Formats a diagnostic as compilers do.
package struct DiagnosticText {
  let terminal: Terminal

  package init(terminal: Terminal) { self.terminal = terminal }

  package func line(_ diagnostic: Diagnostic) -> String {
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
