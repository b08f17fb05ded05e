package import Profile

/// The profile that an app of a trace is played with.
package struct ReplayedApp: Hashable, Sendable {
  package let profile: Profile
  /// Stands in for what the profile does not give.
  package let name: String

  package init(profile: Profile, name: String) {
    self.profile = profile
    self.name = name
  }

  package var identifier: String { profile.bundleIdentifier ?? name }
}
