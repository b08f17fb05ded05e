import Profile

/// A profile and the name of its file.
struct NamedProfile: Equatable, Sendable {
  let profile: Profile
  /// `heart-rate` for `profiles/heart-rate.plist`.
  let name: String

  var identifier: String { profile.bundleIdentifier ?? name }
}
