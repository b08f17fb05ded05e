import FoundationEssentials

/// Parses and writes the dates of property lists, which have whole seconds.
package enum PropertyListDate {
  /// Seconds since 2001-01-01T00:00:00Z of `YYYY-MM-DDTHH:MM:SSZ`; nil for any other text. The style alone accepts days
  /// and times that do not exist, so the date must be written as it was read.
  static func seconds(_ text: String) -> Double? {
    guard let date = try? Date(text, strategy: .iso8601), date.formatted(.iso8601) == text else { return nil }
    return date.timeIntervalSinceReferenceDate
  }

  /// Seconds since 2001-01-01T00:00:00Z of `YYYY-MM-DD HH:MM:SS +0000`, as in the text form.
  static func seconds(ofText text: String) -> Double? {
    guard text.utf8.count == 25, text.hasSuffix(" +0000") else { return nil }
    return seconds(text.dropLast(6).replacing(" ", with: "T") + "Z")
  }

  /// `YYYY-MM-DDTHH:MM:SSZ`; nil for a fraction of a second and outside of the years 1 to 9999.
  package static func text(_ seconds: Double) -> String? {
    guard seconds.isFinite, seconds == seconds.rounded(), (-63_114_076_800...252_423_993_599).contains(seconds) else {
      return nil
    }
    return Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
  }
}
