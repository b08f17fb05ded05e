/// A diagnostic before its offset has become a line and a column.
package struct Fault {
  package let severity: Diagnostic.Severity
  /// In bytes from the start of the file.
  package let offset: Int
  package let path: NodePath
  package let found: String
  package let expected: String
  package let fix: String?
}
