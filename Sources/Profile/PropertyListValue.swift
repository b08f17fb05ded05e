/// A value of a property list, as both of its forms can say it.
package enum PropertyListValue: Sendable {
  case dictionary(PropertyListDictionary)
  case array([PropertyListNode])
  case string(String)
  /// In the range of a property list: `Int64.min` to `UInt64.max`.
  case integer(Int128)
  case real(Double)
  case boolean(Bool)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case data([UInt8])
  /// A value that was reported already, so that nobody reports it twice.
  case faulty
}

extension PropertyListValue {
  /// The value as a message names it: `the string "18XD"`, `a dictionary`.
  package var summary: String {
    switch self {
    case .dictionary: "a dictionary"
    case .array: "an array"
    case .string(let text): "the string \(Quote.text(text))"
    case .integer(let value): "the integer \(value)"
    case .real(let value): "the real \(value)"
    case .boolean(let value): value ? "true" : "false"
    case .date: "a date"
    case .data(let bytes): "\(bytes.count) bytes of data"
    case .faulty: "a faulty value"
    }
  }
}
