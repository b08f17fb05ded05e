extension Behavior {
  /// What a profile says under `Kind`.
  public enum Kind: String, CaseIterable, Sendable {
    case echo
    case counter
    case ramp
    case sine
    case sequence
    case random
  }
}
