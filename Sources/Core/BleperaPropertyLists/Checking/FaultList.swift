import BleperaBluetooth

/// The faults of one file in the order in which they were found.
package struct FaultList {
  /// The maximum number of faults that are kept; further ones are counted.
  package static let limit = 1_000

  private var faults: [Fault] = []
  private var dropped = 0
  private var droppedOffset = 0
  private var droppedSeverity = Diagnostic.Severity.warning
  /// The remaining searches for nearest names, which are limited because each is slow.
  private var searches = 200
  package private(set) var hasErrors = false

  package init() {}

  /// Whether further faults are counted only.
  package var isFull: Bool { faults.count >= Self.limit }

  /// The texts are evaluated only for a fault that is kept.
  package mutating func add(
    _ severity: Diagnostic.Severity, at offset: Int, _ path: @autoclosure () -> NodePath,
    found: @autoclosure () -> String, expected: @autoclosure () -> String, fix: @autoclosure () -> String? = nil
  ) {
    if severity == .error { hasErrors = true }
    guard !isFull else {
      if dropped == 0 { droppedOffset = offset }
      if severity == .error { droppedSeverity = .error }
      dropped += 1
      return
    }
    faults.append(
      Fault(
        severity: severity, offset: offset, path: path(), found: found(), expected: expected(), fix: fix()))
  }

  package mutating func error(
    at offset: Int, _ path: @autoclosure () -> NodePath, found: @autoclosure () -> String,
    expected: @autoclosure () -> String, fix: @autoclosure () -> String? = nil
  ) {
    add(.error, at: offset, path(), found: found(), expected: expected(), fix: fix())
  }

  package mutating func warn(
    at offset: Int, _ path: @autoclosure () -> NodePath, found: @autoclosure () -> String,
    expected: @autoclosure () -> String, fix: @autoclosure () -> String? = nil
  ) {
    add(.warning, at: offset, path(), found: found(), expected: expected(), fix: fix())
  }

  /// The name nearest to `text`, nil where none is near or no searches remain.
  package mutating func nearest(to text: String, in names: [String], edits: Int = .max) -> String? {
    guard searches > 0, !isFull else { return nil }
    searches -= 1
    return NearestName.find(text, in: names, edits: edits)
  }

  /// The faults sorted by position; faults of one position keep the order in which they were found.
  package func diagnostics(file: String, lines: LineTable) -> [Diagnostic] {
    var ordered = faults.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }
      .map(\.element)
    if dropped > 0 {
      ordered.append(
        Fault(
          severity: droppedSeverity, offset: max(droppedOffset, ordered.last?.offset ?? 0), path: .root,
          found: "\(dropped) more", expected: "fewer than \(Self.limit)",
          fix: "fix the ones above and check again"))
    }
    return ordered.map { fault in
      let position = lines.position(of: fault.offset)
      return Diagnostic(
        severity: fault.severity, file: file, line: position.line, column: position.column,
        keyPath: fault.path.description, found: fault.found, expected: fault.expected, fix: fault.fix)
    }
  }
}

/// A diagnostic whose offset is not yet converted to a line and a column.
package struct Fault {
  package let severity: Diagnostic.Severity
  /// In bytes from the start of the file.
  package let offset: Int
  package let path: NodePath
  package let found: String
  package let expected: String
  package let fix: String?
}
