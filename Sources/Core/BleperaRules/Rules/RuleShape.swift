import BleperaBluetooth

/// The form that the content of a visible value must have.
package indirect enum RuleShape: Hashable, Sendable {
  case milliseconds(ClosedRange<Double>)
  case number(ClosedRange<Int>, unit: String)
  /// A number, or nothing.
  case optionalNumber(ClosedRange<Int>, unit: String)
  case word([String])
  case bytes(count: Int)
  /// A list of Apple's items, each with its type and length.
  case items
  /// Service UUIDs, each with the handle of its service.
  case handles
  /// Some of these fields, in any order.
  case fields([Field])

  package struct Field: Hashable, Sendable {
    package let name: String
    package let shape: RuleShape

    init(_ name: String, _ shape: RuleShape) {
      self.name = name
      self.shape = shape
    }
  }

  static let interval = RuleShape.milliseconds(AdvertisingInterval.range)
  static let scanFields = [
    Field("interval", .milliseconds(2.5...10_240)), Field("window", .milliseconds(2.5...10_240)),
  ]
  static let scan = RuleShape.fields(scanFields)

  static func word<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> RuleShape {
    .word(type.allCases.map(\.rawValue))
  }

  package func accepts(_ content: RuleContent) -> Bool {
    switch (self, content) {
    case (.milliseconds(let range), .milliseconds(let value)): return range.contains(value)
    case (.number(let range, _), .number(let value)), (.optionalNumber(let range, _), .number(let value)):
      return range.contains(value)
    case (.optionalNumber, .none): return true
    case (.word(let words), .word(let word)): return words.contains(word)
    case (.bytes(let count), .bytes(let bytes)): return bytes.count == count
    case (.items, .list(let items)):
      return items.allSatisfy { item in
        guard case .bytes(let bytes) = item else { return false }
        return AppleItem(bytes) != nil
      } && items.count <= AdvertisingBudget.legacyMaximum
    case (.handles, .fields(let handles)):
      return handles.allSatisfy { handle in
        guard case .number(let value) = handle.content, BluetoothUUID(handle.name) != nil else { return false }
        return Self.handles(value)
      }
    case (.fields(let fields), .fields(let contents)):
      return contents.allSatisfy { content in
        fields.contains { $0.name == content.name && $0.shape.accepts(content.content) }
      }
    case (_, _): return false
    }
  }

  /// Whether a service can be at that handle.
  package static func handles(_ handle: Int) -> Bool { (1...0xFFFF).contains(handle) }

  /// For a message and for the documentation.
  package var description: String {
    switch self {
    case .milliseconds(let range):
      "milliseconds, \(Quote.number(range.lowerBound)) to \(Quote.number(range.upperBound))"
    case .number(let range, let unit): "\(unit), \(range.lowerBound) to \(range.upperBound)"
    case .optionalNumber(let range, let unit): "\(unit), \(range.lowerBound) to \(range.upperBound), or none"
    case .word(let words): Quote.list(words)
    case .bytes(let count): Quote.counted(count, "byte")
    case .items: "Apple's items, each with its type and length"
    case .handles: "the handle of each service, by its UUID"
    case .fields(let fields): fields.map(\.name).joined(separator: ", ")
    }
  }
}
