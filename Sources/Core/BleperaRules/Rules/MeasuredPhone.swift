package import BleperaBluetooth

/// The values of the rules that a capture of a phone shows.
package struct MeasuredPhone: Hashable, Sendable {
  /// The model, such as `iPhone18,2`, or other words.
  package let name: String
  /// Nil where the capture does not show the version.
  package let ios: IOSVersion?
  /// The Device Name; nil where the file has none, as in captures.
  package let deviceName: String?
  package let values: [Value]

  package struct Value: Hashable, Sendable {
    /// The name of a visible value.
    package let name: String
    package let content: RuleContent
    /// A line with the file, the number of packets and the date.
    package let source: String

    package init(_ name: String, _ content: RuleContent, source: String) {
      self.name = name
      self.content = content
      self.source = source
    }
  }

  package init(name: String, ios: IOSVersion?, deviceName: String? = nil, values: [Value]) {
    self.name = name
    self.ios = ios
    self.deviceName = deviceName
    self.values = values
  }

  /// The kind of the model; nil if the name is no model, or if no such phone runs the version.
  package func kind(running version: IOSVersion) -> PhoneKind? { PhoneKind(product: name, running: version) }
}

extension PhoneKind {
  /// Nil also where no phone of the model runs the version.
  package init?(product: String, running version: IOSVersion) {
    guard let kind = PhoneKind(product: product), kind.runs(version) else { return nil }
    self = kind
  }
}

extension RuleSet {
  /// The rule set with the measured values of a phone; the version stays.
  package func with(_ phone: MeasuredPhone?) -> RuleSet {
    guard let phone else { return self }
    var rules = self
    rules.measured = phone
    for value in phone.values {
      _ = VisibleValue.named(value.name)?.set(value.content, source: value.source, in: &rules)
    }
    return rules
  }
}
