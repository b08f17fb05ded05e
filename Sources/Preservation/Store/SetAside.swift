/// A damaged document, and where it is now.
package struct SetAside: Hashable, Sendable {
  package let path: String
  /// The path that it has now.
  package let kept: String
  package let damage: Damage

  package init(path: String, kept: String, damage: Damage) {
    self.path = path
    self.kept = kept
    self.damage = damage
  }
}

extension SetAside: CustomStringConvertible {
  /// A whole sentence that says what to do.
  package var description: String {
    "\(path) \(damage); it is kept as \(kept), and nothing is restored from it: start the apps again."
  }
}
