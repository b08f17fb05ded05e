/// The name in Generic Access, the characteristic 2A00, which is the user's.
package enum DeviceName {
  /// The name of an iPhone whose user has chosen no other.
  package static let iPhone = "iPhone"
  /// The name of an iPad whose user has chosen no other.
  package static let iPad = "iPad"
  /// The form of a Device Name (Core Specification, Vol 3, Part C, 3.2.2; that it is not empty and without control characters
  /// is ours).
  package static let form = "1 to \(LocalName.maximumLength) bytes of UTF-8 without control characters"

  /// Returns what makes a text no Device Name, a few words; nil for a Device Name.
  package static func fault(of text: String) -> String? {
    if text.isEmpty { return "an empty string" }
    if text.utf8.count > LocalName.maximumLength { return "a name of \(text.utf8.count) bytes" }
    let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return hasControls ? Quote.text(text) : nil
  }
}
