/// What checking a profile came to.
public struct ProfileCheck: Hashable, Sendable {
  /// Nil when there is an error among the diagnostics.
  public var profile: Profile?
  /// Errors and warnings in the order of their places in the file.
  public var diagnostics: [Diagnostic]

  public init(profile: Profile?, diagnostics: [Diagnostic]) {
    self.profile = profile
    self.diagnostics = diagnostics
  }
}
