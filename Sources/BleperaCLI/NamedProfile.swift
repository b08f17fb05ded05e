import Profile

/// A profile and the name of its file.
struct NamedProfile: Equatable, Sendable {
  let profile: Profile
  /// `heart-rate` for `profiles/heart-rate.plist`.
  let name: String
  /// As it was given.
  var file = ""

  var identifier: String { profile.bundleIdentifier ?? name }
  /// The last part of the bundle identifier, or the file's name.
  var shortName: String { identifier.split(separator: ".").last.map(String.init) ?? name }
}
