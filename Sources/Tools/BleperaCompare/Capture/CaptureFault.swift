/// The reason that a capture cannot be read any further, as a sentence without a period.
package struct CaptureFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the record, from 1; nil for the header of the file.
  package let record: Int?
  /// The start of the record, in bytes from the start of the file.
  package let offset: Int
  package let reason: String

  package var description: String {
    record.map { "record \($0), at byte \(offset): \(reason)" } ?? reason
  }
}
