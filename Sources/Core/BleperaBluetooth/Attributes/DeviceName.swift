/// The Device Name: the characteristic 2A00 of Generic Access, which the user chooses.
package enum DeviceName {
  /// The name of an iPhone whose user has chosen no other.
  package static let iPhone = "iPhone"
  /// The name of an iPad whose user has chosen no other.
  package static let iPad = "iPad"
  /// The form of a Device Name (Core Specification, Vol 3, Part C, 3.2.2; that it is not empty and without control
  /// characters is ours).
  package static let form = "1 to \(LocalName.maximumLength) bytes of UTF-8 without control characters"

  /// The fault of a text that is no valid Device Name, in a few words; nil for a valid name.
  package static func fault(of text: String) -> String? {
    if text.isEmpty { return "an empty string" }
    if text.utf8.count > LocalName.maximumLength { return "a name of \(text.utf8.count) bytes" }
    let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return hasControls ? Quote.text(text) : nil
  }
}
