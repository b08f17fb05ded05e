import BleperaBluetooth
package import BleperaRules

extension RuleContent {
  /// `270 ms`, `first 30 ms, then 181.25 ms`; for people.
  ///
  /// - Parameter showsValues: whether bytes are shown, which may have a tag of one phone; otherwise only the type and
  ///   length of an item.
  package func text(showsValues: Bool = false) -> String {
    switch self {
    case .milliseconds(let value): "\(Self.text(value)) ms"
    case .number(let value): "\(value)"
    case .word(let word): word
    case .bytes(let bytes):
      bytes.count <= 1 || showsValues
        ? Hex.string(bytes) : Hex.string(Array(bytes.prefix(2))) + " and \(bytes.count - 2) bytes"
    case .list(let items):
      items.isEmpty ? "none" : items.map { $0.text(showsValues: showsValues) }.joined(separator: ", ")
    case .fields(let fields):
      fields.map { "\($0.name) \($0.content.text(showsValues: showsValues))" }.joined(separator: ", ")
    case .none: "none"
    }
  }

  /// With three decimals at most.
  static func text(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return Int(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
  }
}
