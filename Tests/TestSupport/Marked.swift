/// Test input with a `⟦` wherever a diagnostic must point.
package struct Marked {
  package let bytes: [UInt8]
  /// `line:column` of each marker.
  package let places: [String]

  package init(_ text: String) {
    var bytes: [UInt8] = []
    var places: [String] = []
    var line = 1
    var column = 1
    for scalar in text.unicodeScalars {
      if scalar == "⟦" {
        places.append("\(line):\(column)")
        continue
      }
      let encoded = Array(String(scalar).utf8)
      bytes += encoded
      if scalar == "\n" {
        line += 1
        column = 1
      } else {
        column += encoded.count
      }
    }
    self.bytes = bytes
    self.places = places
  }
}
