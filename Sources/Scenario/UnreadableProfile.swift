/// Why the bytes of a profile cannot be had.
package struct UnreadableProfile: Error, Hashable, Sendable {
  /// A few words: `no such file`.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}
