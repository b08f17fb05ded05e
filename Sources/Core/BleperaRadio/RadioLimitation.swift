/// Something that an iPhone does and a radio cannot do.
package struct RadioLimitation: Hashable, Codable, Sendable {
  /// The `id` of the limitation of a radio that chooses its own advertising interval.
  package static let intervals = "intervals"
  /// The `id` of the limitation of a radio that was to send exact packets and cannot.
  package static let exact = "exact"
  /// The `id` of the limitation of a bluetoothd that counts advertisements of programs that have ended.
  package static let ghosts = "ghosts"
  /// The `id` of the limitation of a radio that sends what a phone sends without an app under an address that no key
  /// resolves.
  package static let presence = "presence"
  /// The `id` of the limitation of a radio whose Database Hash does not cover the handles above
  /// `HandleAllocator.hashed`.
  package static let databaseHash = "database-hash"
  /// The `id` of the limitation of a radio that sends updates of some hundred attributes only.
  package static let updates = "updates"

  /// A word such as `flags`, the same in every release.
  package let id: String
  /// A sentence about iPhones.
  package let iPhone: String
  /// A sentence about the radio's behavior instead.
  package let instead: String
  /// The release that removes the limitation, such as `5.77`; nil where none does.
  package let fixedIn: String?
  /// The number of the affected rule, such as `R1`; nil where no rule is affected.
  package let rule: String?
  /// Advice for the user; nil where nothing helps.
  package let advice: String?

  package init(
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
