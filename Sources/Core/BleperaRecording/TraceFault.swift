/// Why a trace cannot be read.
package struct TraceFault: Error, Hashable, CustomStringConvertible {
  /// From 1; nil for a fault of the whole file.
  package let line: Int?
  /// Without a period.
  package let reason: String

  package init(line: Int?, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  /// The fault in the form that compilers use, to be printed after the file's name.
  package var description: String { (line.map { ":\($0)" } ?? "") + ": error: \(reason)" }
}
