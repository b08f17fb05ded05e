import FoundationEssentials

/// Any property list.
indirect enum PropertyTree: Hashable, Codable {
  case dictionary([String: PropertyTree])
  case array([PropertyTree])
  case string(String)
  case integer(Int)
  case real(Double)
  case boolean(Bool)
  case date(Date)
  case data(Data)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode([String: PropertyTree].self) {
      self = .dictionary(value)
    } else if let value = try? container.decode([PropertyTree].self) {
      self = .array(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(Date.self) {
      self = .date(value.wholeSecond)
    } else if let value = try? container.decode(Data.self) {
      self = .data(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .dictionary(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .real(let value): try container.encode(value)
    case .boolean(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    }
  }
}

extension PropertyTree {
  /// What a dictionary has at a key. Nothing can be set in what is none.
  subscript(key: StateKey) -> PropertyTree? {
    get {
      guard case .dictionary(let fields) = self else { return nil }
      return fields[key.rawValue]
    }
    set {
      guard case .dictionary(var fields) = self else { return }
      fields[key.rawValue] = newValue
      self = .dictionary(fields)
    }
  }

  /// Changes each element of the array at a key, where there is one.
  mutating func changeEach(_ key: StateKey, _ change: (inout PropertyTree) -> Void) {
    guard case .array(var elements) = self[key] else { return }
    for index in elements.indices { change(&elements[index]) }
    self[key] = .array(elements)
  }
}
