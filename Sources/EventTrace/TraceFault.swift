/// Why a file is no trace that can be read, or none that can be played again.
package struct TraceFault: Error, Hashable, CustomStringConvertible {
  /// From 1; nil where it is of the whole file.
  package let line: Int?
  /// Without a full stop.
  package let reason: String

  package init(line: Int?, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  /// As compilers say it, for a reader who puts the file's name before it.
  package var description: String { (line.map { ":\($0)" } ?? "") + ": error: \(reason)" }
}
