package import BleperaRules

/// A rule's value as a capture shows it.
package struct Measurement: Hashable, Sendable {
  /// The name of a `VisibleValue`.
  package var name: String
  package var content: RuleContent
  /// The greatest error of the times in the content, in milliseconds.
  package var error: Double
  /// The errors of fields that differ from `error`, in milliseconds.
  package var fieldErrors: [String: Double]
  /// The number of packets that the measurement uses.
  package var packets: Int

  package init(
    _ name: String, _ content: RuleContent, error: Double = 0, fieldErrors: [String: Double] = [:], packets: Int
  ) {
    self.name = name
    self.content = content
    self.error = error
    self.fieldErrors = fieldErrors
    self.packets = packets
  }
}

extension Measurement {
  /// - Parameter times: how long the phone used each address, in milliseconds.
  static func addressRotation(_ times: [Double]) -> Measurement? {
    guard let shortest = times.min(), let longest = times.max() else { return nil }
    // A sleeping phone changes its address late, so the shortest time is nearest to the rule.
    return Measurement(
      "addressRotation", .milliseconds(shortest), error: max(longest - shortest, shortest / 10), packets: times.count)
  }

  /// - Parameters:
  ///   - first: the interval of new contents; nil where it was not seen.
  ///   - newTimes: how long each new content had the first interval, in milliseconds.
  static func handoffInterval(
    first: Double?, newTimes: [Double], then: Double, errors: [String: Double], packets: Int
  ) -> Measurement {
    let newTime = first == nil || newTimes.isEmpty ? nil : newTimes.sorted()[newTimes.count / 2]
    let fields = [("first", first), ("newTime", newTime), ("then", then)].compactMap { name, value in
      value.map { RuleContent.Field(name, .milliseconds($0)) }
    }
    return Measurement("handoffInterval", .fields(fields), fieldErrors: errors, packets: packets)
  }
}

/// A rule's value beside the value that a capture shows.
package struct Comparison: Hashable, Sendable {
  package enum Verdict: String, Hashable, Encodable, Sendable {
    case agrees
    case differs
    case notSeen
  }

  package let name: String
  package let visibility: RuleVisibility
  package let rule: RuleContent
  /// Nil where the capture does not show the value.
  package let measured: Measurement?
  package let verdict: Verdict

  /// Compares all visible values of a rule set, in its order.
  package static func all(_ measurements: [Measurement], with rules: RuleSet) -> [Comparison] {
    VisibleValue.all.map { value in
      let rule = value.content(in: rules)
      guard let measured = measurements.first(where: { $0.name == value.name }), value.shape.accepts(measured.content)
      else {
        return Comparison(
          name: value.name, visibility: value.visibility, rule: rule, measured: nil, verdict: .notSeen)
      }
      return Comparison(
        name: value.name, visibility: value.visibility, rule: rule, measured: measured,
        verdict: rule.agrees(with: measured.content, measured) ? .agrees : .differs)
    }
  }
}

extension RuleContent {
  /// Whether a measured content equals this one. Fields may be missing, times may differ by the error, and Apple's
  /// items are compared by type and length, because tags differ from phone to phone.
  func agrees(with content: RuleContent, _ measured: Measurement, field: String? = nil) -> Bool {
    switch (self, content) {
    case (.milliseconds(let value), .milliseconds(let other)):
      abs(value - other) <= (field.flatMap { measured.fieldErrors[$0] } ?? measured.error) + Self.rounding
    case (.fields, .fields(let fields)):
      fields.allSatisfy { self[$0.name]?.agrees(with: $0.content, measured, field: $0.name) ?? false }
    case (.list(let items), .list(let others)):
      items.count == others.count && zip(items, others).allSatisfy { $0.head == $1.head }
    case (_, _): self == content
    }
  }

  private static let rounding = 0.001

  /// The type and the length of an item.
  private var head: [UInt8] {
    guard case .bytes(let bytes) = self else { return [] }
    return Array(bytes.prefix(2))
  }
}
