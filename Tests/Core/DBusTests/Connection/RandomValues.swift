import BleperaBluetooth
import BleperaDBus
import BusTesting

/// Bodies of random values of random types, the same for the same seed.
struct RandomValues {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func body() -> [DBusValue] {
    (0..<number(1...4)).map { _ in
      let type = type(depth: 0)
      return value(of: type, depth: 0)
    }
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  private mutating func basic() -> DBusType {
    let all: [DBusType] = [
      .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
    ]
    return all[number(0...all.count - 1)]
  }

  private mutating func type(depth: Int) -> DBusType {
    guard depth < 4 else { return basic() }
    switch number(0...7) {
    case 0: return .array(type(depth: depth + 1))
    case 1: return .dictionary(key: basic(), value: type(depth: depth + 1))
    case 2: return .structure((0..<number(1...3)).map { _ in type(depth: depth + 1) })
    case 3: return .variant
    default: return basic()
    }
  }

  private mutating func value(of type: DBusType, depth: Int) -> DBusValue {
    switch type {
    case .byte: return .byte(.random(in: 0 ... .max, using: &generator))
    case .boolean: return .boolean(.random(using: &generator))
    case .int16: return .int16(.random(in: .min ... .max, using: &generator))
    case .uint16: return .uint16(.random(in: 0 ... .max, using: &generator))
    case .int32: return .int32(.random(in: .min ... .max, using: &generator))
    case .uint32: return .uint32(.random(in: 0 ... .max, using: &generator))
    case .int64: return .int64(.random(in: .min ... .max, using: &generator))
    case .uint64: return .uint64(.random(in: 0 ... .max, using: &generator))
    case .double: return .double(Double(bitPattern: generator.next()))
    case .string: return .string(text())
    case .objectPath:
      return .objectPath((0..<number(0...3)).reduce(.root) { path, index in path.appending("_\(index)") })
    case .signature: return .signature((["", "y", "a{sv}", "(sa(ob))"] as [Signature])[number(0...3)])
    case .unixFD: preconditionFailure("not made here")
    case .variant:
      let inner = self.type(depth: depth + 1)
      return .variant(value(of: inner, depth: depth + 1))
    case .array(let element):
      return made { [values = (0..<number(0...3)).map { _ in value(of: element, depth: depth + 1) }] in
        try .array(of: element, values)
      }
    case .dictionary(let key, let content):
      let entries = (0..<number(0...3)).map { _ in
        (key: value(of: key, depth: depth + 1), value: value(of: content, depth: depth + 1))
      }
      return made { try .dictionary(key: key, value: content, entries) }
    case .structure(let fields): return .structure(fields.map { value(of: $0, depth: depth + 1) })
    }
  }

  private mutating func text() -> String {
    let scalars: [Unicode.Scalar] = ["a", "\u{1}", "'", "é", "\u{301}", "€", "\u{FFFF}", "😀", "\u{10FFFF}"]
    var text = String.UnicodeScalarView()
    for _ in 0..<number(0...6) { text.append(scalars[number(0...scalars.count - 1)]) }
    return String(text)
  }

  private func made(_ body: () throws -> DBusValue) -> DBusValue {
    do { return try body() } catch { preconditionFailure("\(error)") }
  }
}
