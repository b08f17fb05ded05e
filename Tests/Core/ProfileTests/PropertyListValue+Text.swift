import BleperaBluetooth
import BleperaProfile
import BleperaPropertyLists

extension PropertyListValue {
  /// The value on one line, for comparisons.
  var text: String {
    switch self {
    case .dictionary(let dictionary):
      "{" + dictionary.entries.map { "\($0.key): \($0.node.value.text)" }.joined(separator: ", ") + "}"
    case .array(let nodes): "[" + nodes.map(\.value.text).joined(separator: ", ") + "]"
    case .string(let text): "\"\(text)\""
    case .integer(let value): "\(value)"
    case .real(let value): "real \(value)"
    case .boolean(let value): "\(value)"
    case .date(let seconds): "date \(seconds)"
    case .data(let bytes): "data \(Hex.string(bytes))"
    case .faulty: "faulty"
    }
  }
}
