/// Why a requested field is not advertised as requested.
package struct PlanReason: Hashable, Sendable {
  package enum Fate: Hashable, Sendable {
    case movedToOverflow(bit: Int)
    case movedToScanResponse
    case shortened(to: String)
    case dropped
    /// Advertised once, for the app that requested the field first.
    case merged
    /// Requested in the background, and not advertised until the app's next foreground.
    case withheld
  }

  package let app: AppID
  package let field: AdvertisedField
  package let fate: Fate
  package let rule: RuleID

  package init(_ app: AppID, _ field: AdvertisedField, _ fate: Fate, _ rule: RuleID) {
    self.app = app
    self.field = field
    self.fate = fate
    self.rule = rule
  }
}

extension PlanReason: CustomStringConvertible {
  /// `180D: in the overflow area, bit 61 (R2)`.
  package var description: String { "\(field): \(fate) (\(rule))" }
}

extension PlanReason.Fate: CustomStringConvertible {
  package var description: String {
    switch self {
    case .movedToOverflow(let bit): "in the overflow area, bit \(bit)"
    case .movedToScanResponse: "in the scan response"
    case .shortened(let text): "shortened to \"\(text)\""
    case .dropped: "not advertised"
    case .merged: "advertised once"
    case .withheld: "not before the next foreground"
    }
  }
}
