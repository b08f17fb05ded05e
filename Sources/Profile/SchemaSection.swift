/// The keys of one dictionary of a profile.
public struct SchemaSection: Hashable, Sendable {
  /// Where the dictionary stands, such as `BLEPeripheral.Services[].Characteristics[]`; empty for the file itself.
  public let path: String
  /// The behavior that has these keys; nil where there is no such choice.
  public let kind: Behavior.Kind?
  /// What has these keys, where another choice has others, as a message names it: `the kind ramp`.
  package let choice: String?
  public let keys: [SchemaKey]
  /// Whether other keys may stand there, as they do in an Info.plist.
  public let allowsOthers: Bool

  package init(
    _ path: String, kind: Behavior.Kind? = nil, choice: String? = nil, allowsOthers: Bool = false, _ keys: [SchemaKey]
  ) {
    self.path = path
    self.kind = kind
    self.choice = choice ?? kind.map { "the kind \($0.rawValue)" }
    self.allowsOthers = allowsOthers
    self.keys = keys
  }

  package func key(named name: String) -> SchemaKey? { keys.first { $0.name == name } }

  package var names: [String] { keys.map(\.name) }
}
