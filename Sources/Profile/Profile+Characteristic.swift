public import GATT

extension Profile {
  public struct Characteristic: Hashable, Sendable {
    public var definition: CharacteristicDefinition
    /// Nil for a cached value, and for a dynamic one that keeps what was last written.
    public var behavior: Behavior?

    public init(definition: CharacteristicDefinition, behavior: Behavior? = nil) {
      self.definition = definition
      self.behavior = behavior
    }
  }
}
