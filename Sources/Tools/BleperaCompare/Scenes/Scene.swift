/// A scene that the user of a phone plays while a capture is made.
package struct Scene: Hashable, Sendable {
  package let name: String
  /// What to do when it begins.
  package let action: String
  /// How long to leave it, in seconds; 0 for the last.
  package let seconds: Int
  /// The state of the app in it.
  package let app: AppScene?
  /// Of the scenes by which the clocks are compared: whether the phone is locked.
  package let isLocked: Bool?

  private init(_ name: String, _ seconds: Int, _ action: String, app: AppScene? = nil, isLocked: Bool? = nil) {
    (self.name, self.action, self.seconds, self.app, self.isLocked) = (name, action, seconds, app, isLocked)
  }

  package static func named(_ name: String) -> Scene? { all.first { $0.name == name } }

  /// In the order in which they are played. The times between the pairs differ, so that they fit in one way alone.
  package static let all = [
    Scene("lock1", 5, "Lock the phone", isLocked: true), Scene("unlock1", 9, "Unlock it", isLocked: false),
    Scene("lock2", 12, "Lock it again", isLocked: true), Scene("unlock2", 6, "Unlock it", isLocked: false),
    Scene("lock3", 8, "Lock it again", isLocked: true), Scene("unlock3", 10, "Unlock it", isLocked: false),
    Scene("front", 120, "Open the app, so that it advertises and scans", app: .front),
    Scene("behind", 120, "Go to the home screen", app: .behind),
    Scene("copy", 60, "Copy a text in another app", app: .behind),
    Scene("dark", 300, "Lock the phone and leave it", app: .behind),
    Scene("end", 0, "Unlock the phone"),
  ]
}

/// Where the app is in a scene.
package enum AppScene: String, Hashable, Encodable, Sendable {
  case front
  case behind
}
