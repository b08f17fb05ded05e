/// Something that is not as the contract says.
package struct ContractFailure: Error, Sendable, CustomStringConvertible {
  package let text: String
  /// The place in the suite; empty if it is not known.
  package let file: String
  package let line: Int

  package init(_ text: String, file: String = "", line: Int = 0) {
    self.text = text
    self.file = file
    self.line = line
  }

  package var description: String { file.isEmpty ? text : "\(text) (\(file):\(line))" }
}
