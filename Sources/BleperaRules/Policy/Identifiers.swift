/// The number of an app, assigned by the system and never reused.
package struct AppID: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static func < (left: AppID, right: AppID) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a request or notice for an app, assigned by the system and never reused.
package struct EventID: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
}
