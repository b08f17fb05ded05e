import BlueZ

/// The doctor's findings as lines for a person: a mark, what was looked at, what it is like and what to do.
struct FindingText {
  let terminal: Terminal

  func lines(_ findings: [Finding]) -> [String] {
    let width = findings.map(\.subject.count).max() ?? 0
    return findings.map { finding in
      let padding = String(repeating: " ", count: width - finding.subject.count)
      let advice = finding.advice.map { "; \($0)" } ?? ""
      return "\(mark(finding.severity))  \(finding.subject)\(padding)  \(finding.state)\(advice)"
    }
  }

  private func mark(_ severity: Finding.Severity) -> String {
    switch severity {
    case .good: terminal.styled("ok  ", .green)
    case .note: terminal.styled("note", .yellow)
    case .problem: terminal.styled("FIX ", .red)
    }
  }
}
