/// Something that an app is to be told, numbered by the system and never reused: a request or a notice.
package struct EventID: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
}
