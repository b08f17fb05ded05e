package import Policy
package import Profile

extension Scenario {
  package struct Phone: Hashable, Sendable {
    package var name: String
    /// Whose rules hold.
    package var ios = IOSVersion.newest
    package var apps: [App] = []

    package init(name: String, apps: [App] = []) {
      self.name = name
      self.apps = apps
    }
  }

  /// An app that is installed on a phone; it runs once it is served.
  package struct App: Hashable, Sendable {
    /// As steps call it.
    package var name: String
    package var profile: Profile
    /// What an app is called whose profile says neither identifier nor name.
    package var fallbackName: String

    /// Of the app.
    package var identifier: String { profile.bundleIdentifier ?? profile.bundleName ?? fallbackName }

    package init(name: String, profile: Profile, fallbackName: String) {
      self.name = name
      self.profile = profile
      self.fallbackName = fallbackName
    }
  }

  package var apps: [App] { phones.flatMap(\.apps) }

  package func phone(of app: String) -> Phone? { phones.first { $0.apps.contains { $0.name == app } } }
}
