public import GATT

extension Profile {
  public struct Characteristic: Hashable, Sendable {
    public var definition: CharacteristicDefinition
    /// Nil for a cached value, and for a dynamic one that keeps what was last written.
    public var behavior: Behavior?
    /// How long the app takes over each read and write before it answers.
    public var answerDelay: Duration

    /// The seconds that a profile may have an app take.
    public static let answerDelays: ClosedRange<Double> = 0...3_600

    public init(
      definition: CharacteristicDefinition, behavior: Behavior? = nil, answerDelay: Duration = .zero
    ) {
      self.definition = definition
      self.behavior = behavior
      self.answerDelay = answerDelay
    }
  }
}
