import BleperaProfile
import BleperaPropertyLists
import BleperaSimulation

/// Makes property lists of all kinds of values from a seed; a third each are profiles, scenarios and neither by their
/// keys, though seldom valid ones.
struct RandomDocument: RandomNumberGenerator {
  private var state: UInt64
  /// The keys of the schema; empty for a document without one.
  private var keys: [String] = []

  private static let profileKeys = Profile.schema.flatMap(\.keys).map(\.name)
  private static let scenarioKeys = Scenario.schema.flatMap(\.keys).map(\.name) + profileKeys
  private static let letters = Array("abcXYZ09 _$/:.-+\"'\\<>&;=,(){}*\n\t\ré😀\u{85}\u{2028}\u{301}\u{7F}#é")

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func document() -> PropertyListWriter {
    let kind = below(3)
    guard kind > 0 else { return container(depth: 0) }
    keys = kind == 1 ? Self.profileKeys : Self.scenarioKeys
    guard case .dictionary(let entries) = dictionary(depth: 0) else { return .dictionary([]) }
    let root = kind == 1 ? "BLEPeripheral" : "Steps"
    let others = entries.filter {
      guard case .value(let key, _) = $0 else { return false }
      return !["BLEPeripheral", "Steps", "Phones"].contains(key)
    }
    return .dictionary([.value(root, dictionary(depth: 1))] + others)
  }

  private mutating func container(depth: Int) -> PropertyListWriter {
    Bool.random(using: &self) ? dictionary(depth: depth) : array(depth: depth)
  }

  private mutating func array(depth: Int) -> PropertyListWriter {
    .array((0..<below(5)).map { _ in value(depth: depth + 1) })
  }

  private mutating func dictionary(depth: Int) -> PropertyListWriter {
    var entries: [PropertyListWriter.Entry] = []
    var seen: Set<String> = []
    for _ in 0..<below(6) {
      let key = !keys.isEmpty && below(4) > 0 ? keys[below(keys.count)] : string()
      guard seen.insert(key).inserted else { continue }
      entries.append(.value(key, value(depth: depth + 1)))
    }
    return .dictionary(entries)
  }

  private mutating func value(depth: Int) -> PropertyListWriter {
    switch below(depth > 4 ? 8 : 12) {
    case 0, 1: return .string(string())
    case 2: return .data((0..<below(below(10) == 0 ? 200 : 12)).map { _ in UInt8.random(in: 0...255, using: &self) })
    case 3: return .boolean(Bool.random(using: &self))
    case 4: return .integer(integer())
    case 5: return .real(real())
    case 6: return .date(Double(Int.random(in: -63_114_076_800...252_423_993_599, using: &self)))
    case 7: return .integer(Int128(below(10)))
    default: return container(depth: depth)
    }
  }

  private mutating func integer() -> Int128 {
    switch below(4) {
    case 0: Int128(Int64.min) + Int128(below(3))
    case 1: Int128(UInt64.max) - Int128(below(3))
    case 2: Int128(Int64.max) + Int128(below(3)) - 1
    default: Int128(Int64.random(in: -100_000...100_000, using: &self))
    }
  }

  private mutating func real() -> Double {
    let bits = Double(bitPattern: next())
    let values = [0, -0.0, 0.5, 36.6, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, 5, bits.isNaN ? 1 : bits]
    return values[below(values.count)]
  }

  /// A random string; with a schema, a string that is not the text of a number or a boolean.
  private mutating func string() -> String {
    let letters = Self.letters
    let text = String((0..<below(below(8) == 0 ? 150 : 9)).map { _ in letters[below(letters.count)] })
    return keys.isEmpty ? text : "s" + text
  }
}
