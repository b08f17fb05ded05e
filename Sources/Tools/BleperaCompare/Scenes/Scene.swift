/// A scene that the user of a phone plays while a capture is made.
package struct Scene: Hashable, Sendable {
  package let name: String
  /// The instruction for the user when the scene begins.
  package let action: String
  /// The length of the scene in seconds; 0 for the last.
  package let seconds: Int
  /// The app's state during the scene.
  package let app: AppScene?
  /// Whether the phone is locked; nil except for the scenes by which the clocks are compared.
  package let isLocked: Bool?

  private init(_ name: String, _ seconds: Int, _ action: String, app: AppScene? = nil, isLocked: Bool? = nil) {
    (self.name, self.action, self.seconds, self.app, self.isLocked) = (name, action, seconds, app, isLocked)
  }

  package static func named(_ name: String) -> Scene? { all.first { $0.name == name } }

  /// All scenes, in the order of play. The times between locks and unlocks differ, so that they fit in only one way.
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

/// The app's state in a scene: in the foreground or in the background.
package enum AppScene: String, Hashable, Encodable, Sendable {
  case front
  case behind
}
