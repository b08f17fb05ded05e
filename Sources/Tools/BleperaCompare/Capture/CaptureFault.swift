/// Why a capture cannot be read any further, a sentence without its end.
package struct CaptureFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the record, from 1; nil for the header of the file.
  package let record: Int?
  /// Where the record begins, in bytes from the start of the file.
  package let offset: Int
  package let reason: String

  package var description: String {
    record.map { "record \($0), at byte \(offset): \(reason)" } ?? reason
  }
}
