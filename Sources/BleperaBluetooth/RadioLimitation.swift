/// Something that an iPhone does and a radio cannot.
public struct RadioLimitation: Hashable, Codable, Sendable {
  /// The `id` of the limitation of a radio that chooses its own advertising interval.
  public static let intervals = "intervals"

  /// A word such as `flags`, the same in every release.
  public let id: String
  /// One sentence.
  public let iPhone: String
  /// What happens instead; one sentence.
  public let instead: String
  /// The release that can do it, such as `5.77`; nil where none can.
  public let fixedIn: String?
  /// The number of the rule that is affected, such as `R1`; nil where none is.
  public let rule: String?
  /// What a user can do about it; nil where there is nothing.
  public let advice: String?

  public init(
    id: String, iPhone: String, instead: String, fixedIn: String? = nil, rule: String? = nil, advice: String? = nil
  ) {
    self.id = id
    self.iPhone = iPhone
    self.instead = instead
    self.fixedIn = fixedIn
    self.rule = rule
    self.advice = advice
  }
}
