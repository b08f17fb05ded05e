import Profile

/// A profile and the name of its file.
struct NamedProfile: Equatable, Sendable {
  let profile: Profile
  /// `heart-rate` for `profiles/heart-rate.plist`.
  let name: String
  /// As it was given.
  var file = ""

  var identifier: String { profile.bundleIdentifier ?? name }
}
