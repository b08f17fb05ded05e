/// Text of XML and HTML.
package enum Markup {
  /// - Parameter others: further characters to replace; the default, `quotes`, is for attributes.
  package static func escaped(_ text: String, _ others: [Unicode.Scalar: String] = quotes) -> String {
    // By scalars: a character can be a delimiter with a combining mark.
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: if let other = others[scalar] { result += other } else { result.unicodeScalars.append(scalar) }
      }
    }
  }

  package static let quotes: [Unicode.Scalar: String] = ["\"": "&quot;"]
}
