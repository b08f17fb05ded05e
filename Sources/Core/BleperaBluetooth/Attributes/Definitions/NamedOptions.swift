/// An option set whose members have names, which profiles, AppLink and messages use.
public protocol NamedOptions: OptionSet, Codable, CustomStringConvertible, Sendable where RawValue == UInt16 {
  /// Every member with its name, in the order of the bits.
  static var names: [(name: String, option: Self)] { get }
}

extension NamedOptions {
  /// The names of the members, in the order of the bits.
  public var memberNames: [String] { Self.names.filter { isSuperset(of: $0.option) }.map(\.name) }

  public var description: String { memberNames.joined(separator: ", ") }

  /// The member with that name; nil where there is none.
  public init?(named name: String) {
    guard let match = Self.names.first(where: { $0.name == name }) else { return nil }
    self = match.option
  }

  /// Reads an array of names.
  ///
  /// - Throws: `DecodingError` for a name that no member has.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = try container.decode([String].self).reduce(into: Self(rawValue: 0)) { options, name in
      guard let option = Self(named: name) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "the name \"\(name)\" is unknown")
      }
      options.formUnion(option)
    }
  }

  /// Writes an array of names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(memberNames)
  }
}
